import { ApiError, FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import { key, url } from './stage.mjs';

const stops = { STOP: 'end', MAX_TOKENS: 'length', SAFETY: 'refusal' };

// genai is Google's SDK, whose chats keep the history themselves.
export const genai = {
  name: 'genai',
  dialect: 'gemini',
  failure: (error) => {
    if (!(error instanceof ApiError)) return undefined;
    const body = JSON.parse(error.message).error;
    return { status: error.status, kind: body.status, message: body.message };
  },
  terms: {
    limited: 'RESOURCE_EXHAUSTED', wrong: 'INVALID_ARGUMENT', busy: 'UNAVAILABLE', locked: 'INTERNAL',
    broken: 'INTERNAL', page: 'INTERNAL', gone: 'NOT_FOUND', strict: 'INVALID_ARGUMENT',
  },
  private: ['safetySettings'], // what no other dialect has
  open: (m) => new Talk(m),
};

export const client = (headers = {}) =>
  new GoogleGenAI({ apiKey: 'dummy', httpOptions: { baseUrl: `${url}/api`, headers: { Authorization: `Bearer ${key}`, ...headers } } });

class Talk {
  constructor(m) {
    this.manner = m;
    this.pictures = true; // tools may answer with them
    this.client = client(m.strict ? { 'X-Stele-Strict': 'true' } : {});
    this.move(m.model);
  }

  move(model) {
    this.chat = this.client.chats.create({ model, config: config(this.manner), history: this.chat?.getHistory(true) });
  }

  heard(name) {
    return this.header?.[name.toLowerCase()] ?? '';
  }

  say({ text, image, pdf }) {
    const message = [{ text }];
    if (image) message.push({ inlineData: { mimeType: 'image/png', data: image } });
    if (pdf) message.push({ inlineData: { mimeType: 'application/pdf', data: pdf } });
    return this.send(image || pdf ? message : text);
  }

  give(results) {
    return this.send(results.map(({ id, name, text, failed, image }) => ({
      functionResponse: {
        id, name, response: { [failed ? 'error' : 'output']: text },
        ...(image && { parts: [{ inlineData: { mimeType: 'image/png', data: image } }] }),
      },
    })));
  }

  async send(message) {
    const said = { text: '', thought: '', calls: [] };
    if (!this.manner.stream) {
      this.hear(said, await this.chat.sendMessage({ message }));
      return said;
    }
    for await (const chunk of await this.chat.sendMessageStream({ message })) {
      this.hear(said, chunk);
      this.manner.watch?.();
    }
    return said;
  }

  hear(said, { candidates, usageMetadata: usage, modelVersion, sdkHttpResponse }) {
    this.header = sdkHttpResponse?.headers ?? this.header;
    said.model = modelVersion;
    if (usage) {
      said.in = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
      said.thinks = usage.thoughtsTokenCount ?? 0;
      said.out = (usage.candidatesTokenCount ?? 0) + said.thinks;
    }
    const candidate = candidates?.[0];
    if (candidate?.finishReason) said.stop = stops[candidate.finishReason] ?? candidate.finishReason;
    for (const { functionCall: call, text, thought } of candidate?.content?.parts ?? []) {
      if (call) said.calls.push({ id: call.id, name: call.name, args: call.args ?? {} });
      else said[thought ? 'thought' : 'text'] += text ?? '';
    }
    if (said.calls.length && said.stop === 'end') said.stop = 'tools'; // Google has no word of its own for it
  }
}

function config(m) {
  const c = { systemInstruction: m.system, maxOutputTokens: m.most, stopSequences: m.stops, abortSignal: m.signal };
  if (m.tools) {
    c.tools = [{ functionDeclarations: m.tools.map(({ name, description, schema }) => ({ name, description, parametersJsonSchema: schema })) }];
  }
  const mode = { any: FunctionCallingConfigMode.ANY, none: FunctionCallingConfigMode.NONE }[m.choice];
  if (mode) c.toolConfig = { functionCallingConfig: { mode } };
  else if (m.choice) c.toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: [m.choice] } };
  if (m.schema) Object.assign(c, { responseMimeType: 'application/json', responseJsonSchema: m.schema });
  if (m.think) {
    c.thinkingConfig = { includeThoughts: !m.quiet, ...(m.model.includes('gemini-2.5') ? { thinkingBudget: 2048 } : { thinkingLevel: 'LOW' }) };
  }
  if (m.cool) c.temperature = 0.5;
  if (m.private) c.safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
  return c;
}
