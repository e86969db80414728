// One loop of Google's Gen AI: the model calls the tool, which writes a file, and then answers. Nothing
// says which version of Google's API to speak: it is v1.
import { GoogleGenAI } from "@google/genai";
import { writeFileSync } from "node:fs";

const key = process.env.STELE_KEY;
const ai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: process.env.STELE_BASE.replace(/\/v1$/, ""), headers: { Authorization: `Bearer ${key}` } } });
const parametersJsonSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const tools = [{ functionDeclarations: [{ name: "write_note", description: "Writes a note.", parametersJsonSchema }] }];
const chat = ai.chats.create({ model: "fast", config: { tools } });
let message = "Write a note. [[sandbox: tool=write_note think=5]]";
for (let turn = 0; turn < 5; turn++) {
  const answer = await chat.sendMessage({ message });
  if (!answer.functionCalls?.length) {
    console.log(answer.text);
    break;
  }
  message = answer.functionCalls.map(({ id, name, args }) => {
    writeFileSync("note.txt", args.text);
    return { functionResponse: { id, name, response: { output: "written" } } };
  });
}
