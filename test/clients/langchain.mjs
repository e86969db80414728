// One loop of LangChain: the model calls the tool, which writes a file, and then answers. Its
// name is one for which ChatOpenAI would speak the Responses API.
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAICompletions } from "@langchain/openai";
import { writeFileSync } from "node:fs";
import { z } from "zod";

const writeNote = tool(
  async ({ text }) => {
    writeFileSync("note.txt", text);
    return "written";
  },
  { name: "write_note", description: "Writes a note.", schema: z.object({ text: z.string() }) },
);
const model = new ChatOpenAICompletions({ model: "gpt-5.6", apiKey: process.env.STELE_KEY, configuration: { baseURL: process.env.STELE_BASE } }).bindTools([writeNote]);
const talk = [new HumanMessage("Write a note. [[sandbox: tool=write_note]]")];
for (let turn = 0; turn < 5; turn++) {
  const answer = await model.invoke(talk);
  talk.push(answer);
  if (!answer.tool_calls?.length) {
    console.log(answer.text);
    break;
  }
  for (const call of answer.tool_calls) talk.push(await writeNote.invoke(call));
}
