// The studio: the bench where things are ordered, the wall where they hang, and
// the page of one thing. Each part looks whether it is there.
import { bench } from "./studio-bench.js";
import { wall } from "./studio-wall.js";
import { work } from "./studio-work.js";

const studio = document.querySelector(".studio");
if (studio) {
  const hang = wall(studio);
  if (studio.querySelector(".bench form")) bench(studio, hang);
}
const one = document.querySelector(".work");
if (one) work(one);
