import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, jsonSchema, Output, streamText, tool } from 'ai';
import { anthropic } from './anthropic.mjs';
import { genai } from './genai.mjs';
import { openai } from './openai.mjs';
import { key, tape, url } from './stage.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false; // it says whenever a model's name is new to it

// adaptive is whether a model thinks without a budget.
export const adaptive = (model) => /claude.*-(4-[67]|5-5)/.test(model);

const stops = { stop: 'end', 'tool-calls': 'tools', 'content-filter': 'refusal' };

// The Vercel AI SDK has one way to talk, and a provider for each dialect.
const vercel = (sdk, name, provider, options, own) => ({
  name: `vercel-${name}`,
  dialect: sdk.dialect,
  failure: (error) => APICallError.isInstance(error) && {
    status: error.statusCode,
    kind: { openai: error.data?.error.code, anthropic: error.data?.error.type, google: error.data?.error.status }[name],
    message: error.message,
    header: new Headers(error.responseHeaders),
  },
  terms: sdk.terms,
  echoes: name === 'google', // it says the name that it was given itself
  steady: false, // it asks otherwise for a stream than for a whole answer
  private: Object.keys(own.names),
  open: (m) => new Talk(m, provider, name, options, own),
});

export const vercelOpenAI = vercel(openai, 'openai',
  (fetch) => createOpenAI({ baseURL: `${url}/api/v1`, apiKey: key, fetch }).chat,
  (m) => ({ ...(m.think && { reasoningEffort: 'medium', forceReasoning: true }) }),
  { names: { logit_bias: { logitBias: { 50256: -100 } } } });

export const vercelAnthropic = vercel(anthropic, 'anthropic',
  (fetch) => createAnthropic({ baseURL: `${url}/api/v1`, apiKey: key, fetch }),
  (m) => (m.think && {
    thinking: {
      ...(adaptive(m.model) ? { type: 'adaptive' } : { type: 'enabled', budgetTokens: 4096 }),
      display: m.quiet ? 'omitted' : 'summarized',
    },
    // With a model that it does not know it has a schema's answer by a tool, which it cannot force while the model thinks.
    structuredOutputMode: 'outputFormat',
  }),
  { names: { inference_geo: { inferenceGeo: 'us' } } });

export const vercelGoogle = vercel(genai, 'google',
  (fetch) => {
    const google = createGoogle({ baseURL: `${url}/api/v1beta`, apiKey: 'dummy', headers: { Authorization: `Bearer ${key}` }, fetch });
    return (model) => google(`models/${model}`); // it takes an id with a slash for a path
  },
  (m) => (m.think && {
    thinkingConfig: { includeThoughts: !m.quiet, ...(m.model.includes('gemini-2.5') ? { thinkingBudget: 2048 } : { thinkingLevel: 'low' }) },
  }),
  { names: { safetySettings: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] } } });

class Talk {
  constructor(m, provider, name, options, own) {
    this.manner = m;
    this.tape = tape();
    this.messages = [];
    this.thoughtless = name === 'openai'; // its provider does not look for thoughts: OpenAI shows none
    this.models = provider(this.tape);
    this.settings = {
      model: this.models(m.model),
      maxRetries: 0,
      instructions: m.system,
      maxOutputTokens: m.most ?? (m.think ? 16000 : undefined),
      stopSequences: m.stops,
      temperature: m.cool ? 0.5 : undefined,
      abortSignal: m.signal,
      headers: m.strict ? { 'X-Stele-Strict': 'true' } : {},
      providerOptions: { [name]: { ...options(m), ...(m.private && Object.assign({}, ...Object.values(own.names))) } },
    };
    if (m.tools) {
      this.settings.tools = Object.fromEntries(m.tools.map(({ name, description, schema }) => (
        [name, tool({ description, inputSchema: jsonSchema(schema) })])));
    }
    if (m.choice) this.settings.toolChoice = { any: 'required', none: 'none' }[m.choice] ?? { type: 'tool', toolName: m.choice };
    if (m.schema) this.settings.output = Output.object({ schema: jsonSchema(m.schema) });
  }

  move(model) {
    this.settings.model = this.models(model);
  }

  heard(name) {
    return this.tape.heard.get(name) ?? '';
  }

  say({ text, image, pdf }) {
    const content = [{ type: 'text', text }];
    if (image) content.push({ type: 'file', mediaType: 'image/png', data: image });
    if (pdf) content.push({ type: 'file', mediaType: 'application/pdf', data: pdf, filename: 'paper.pdf' });
    this.messages.push({ role: 'user', content: image || pdf ? content : text });
    return this.send();
  }

  give(results) {
    this.messages.push({
      role: 'tool',
      content: results.map(({ id, name, text, failed, image }) => ({
        type: 'tool-result', toolCallId: id, toolName: name,
        output: image
          ? { type: 'content', value: [{ type: 'text', text }, { type: 'file', mediaType: 'image/png', data: { type: 'data', data: image } }] }
          : { type: failed ? 'error-text' : 'text', value: text },
      })),
    });
    return this.send();
  }

  async send() {
    const said = await (this.manner.stream ? this.stream() : generateText({ ...this.settings, messages: this.messages }));
    const [response, usage] = [await said.response, await said.usage];
    this.messages.push(...response.messages);
    return {
      text: await said.text,
      thought: (await said.reasoningText) ?? '',
      calls: (await said.toolCalls).map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, args: input })),
      stop: stops[await said.finishReason] ?? (await said.finishReason),
      in: usage.inputTokens,
      out: usage.outputTokens,
      thinks: usage.outputTokenDetails?.reasoningTokens ?? 0,
      model: response.modelId.replace(/^models\//, ''),
    };
  }

  async stream() {
    let broken;
    const result = streamText({ ...this.settings, messages: this.messages, onError: ({ error }) => { broken ??= error; } });
    for await (const part of result.stream) {
      if (part.type === 'abort') throw new Error('aborted');
      if (['text-delta', 'reasoning-delta', 'tool-input-delta'].includes(part.type)) this.manner.watch?.();
    }
    if (broken) throw broken;
    return result;
  }
}
