// One loop of Vercel's AI SDK: the model calls the tool, which writes a file, and then answers.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool } from "ai";
import { writeFileSync } from "node:fs";
import { z } from "zod";

const stele = createOpenAICompatible({ name: "stele", baseURL: process.env.STELE_BASE, apiKey: process.env.STELE_KEY, includeUsage: true });
const { text } = await generateText({
  model: stele("fast"),
  prompt: "Write a note. [[sandbox: tool=write_note]]",
  stopWhen: stepCountIs(5),
  tools: {
    write_note: tool({
      description: "Writes a note.",
      inputSchema: z.object({ text: z.string() }),
      execute: async ({ text }) => {
        writeFileSync("note.txt", text);
        return "written";
      },
    }),
  },
});
console.log(text);
