// One loop of OpenAI's Agents SDK: the model calls the tool, which writes a file, and then answers.
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from "@openai/agents";
import { writeFileSync } from "node:fs";
import OpenAI from "openai";
import { z } from "zod";

setTracingDisabled(true);
const client = new OpenAI({ baseURL: process.env.STELE_BASE, apiKey: process.env.STELE_KEY });
const writeNote = tool({
  name: "write_note",
  description: "Writes a note.",
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }) => {
    writeFileSync("note.txt", text);
    return "written";
  },
});
const agent = new Agent({ name: "Writer", instructions: "Be brief.", model: new OpenAIChatCompletionsModel(client, "fast"), tools: [writeNote] });
console.log((await run(agent, "Write a note. [[sandbox: tool=write_note]]")).finalOutput);
