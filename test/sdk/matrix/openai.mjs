import OpenAI from 'openai';
import { key, tape, url } from './stage.mjs';

const stops = { stop: 'end', tool_calls: 'tools', content_filter: 'refusal' };

// openai is OpenAI's SDK: whole answers by create, streams by its helper.
export const openai = {
  name: 'openai',
  dialect: 'openai',
  failure: (error) => error instanceof OpenAI.APIError && {
    status: error.status, kind: error.code, message: error.message, header: error.headers,
  },
  terms: {
    limited: 'rate_limit_exceeded', wrong: 'invalid_parameter', busy: 'server_is_overloaded', locked: 'upstream_error',
    broken: 'upstream_error', page: 'upstream_error', gone: 'model_not_found', strict: 'strict_mode',
  },
  private: ['logit_bias', 'verbosity'], // what no other dialect has
  open: (m) => new Talk(m),
};

export const client = (fetch) => new OpenAI({ baseURL: `${url}/api/v1`, maxRetries: 0, apiKey: key, fetch });

class Talk {
  constructor(m) {
    this.manner = m;
    this.tape = tape();
    this.client = client(this.tape);
    this.params = params(m);
  }

  move(model) {
    this.params.model = model;
  }

  heard(name) {
    return this.tape.heard.get(name) ?? '';
  }

  say({ text, image, pdf }) {
    let content = text;
    if (image || pdf) {
      content = [{ type: 'text', text }];
      if (image) content.push({ type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } });
      if (pdf) content.push({ type: 'file', file: { filename: 'paper.pdf', file_data: `data:application/pdf;base64,${pdf}` } });
    }
    this.params.messages.push({ role: 'user', content });
    return this.send();
  }

  give(results) {
    for (const { id, text } of results) this.params.messages.push({ role: 'tool', tool_call_id: id, content: text });
    return this.send();
  }

  async send() {
    const completion = await this.complete();
    const { message, finish_reason } = completion.choices[0];
    const { parsed, ...said } = message; // the helper adds what it parsed
    this.params.messages.push(said);
    const { usage } = completion;
    return {
      text: message.content ?? '',
      thought: message.reasoning_content ?? '',
      calls: (message.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, args: JSON.parse(c.function.arguments) })),
      stop: stops[finish_reason] ?? finish_reason,
      in: usage.prompt_tokens,
      out: usage.completion_tokens,
      thinks: usage.completion_tokens_details?.reasoning_tokens ?? 0,
      model: completion.model,
    };
  }

  async complete() {
    const { stream, signal, watch, strict } = this.manner;
    const options = { signal, headers: strict ? { 'X-Stele-Strict': 'true' } : {} };
    if (!stream) return this.client.chat.completions.create(this.params, options);
    const params = { ...this.params, stream: true, stream_options: { include_usage: true } };
    if (stream === 'raw') return gather(await this.client.chat.completions.create(params, options), watch);
    const helper = this.client.chat.completions.stream(params, options);
    let thought = ''; // the helper keeps what it does not know from one delta only
    helper.on('chunk', (chunk) => {
      thought += chunk.choices[0]?.delta.reasoning_content ?? '';
      watch?.();
    });
    const completion = await helper.finalChatCompletion();
    if (thought) completion.choices[0].message.reasoning_content = thought;
    return completion;
  }
}

// gather is a completion put together by hand, as those do who do not use the helper.
async function gather(stream, watch) {
  const message = { role: 'assistant', content: null };
  const completion = { choices: [{ message }] };
  for await (const { model, usage, choices } of stream) {
    watch?.();
    completion.model = model;
    if (usage) completion.usage = usage;
    if (!choices.length) continue;
    const { delta, finish_reason } = choices[0];
    if (finish_reason) completion.choices[0].finish_reason = finish_reason;
    if (delta.content) message.content = (message.content ?? '') + delta.content;
    if (delta.reasoning_content) message.reasoning_content = (message.reasoning_content ?? '') + delta.reasoning_content;
    for (const { index, id, type, function: f } of delta.tool_calls ?? []) {
      message.tool_calls ??= [];
      message.tool_calls[index] ??= { id, type, function: { name: f.name, arguments: '' } };
      message.tool_calls[index].function.arguments += f.arguments ?? '';
    }
  }
  return completion;
}

function params(m) {
  const p = { model: m.model, messages: [] };
  if (m.system) p.messages.push({ role: 'system', content: m.system });
  if (m.tools) {
    p.tools = m.tools.map(({ name, description, schema }) => ({ type: 'function', function: { name, description, parameters: schema } }));
  }
  if (m.choice) p.tool_choice = { any: 'required', none: 'none' }[m.choice] ?? { type: 'function', function: { name: m.choice } };
  if (m.schema) p.response_format = { type: 'json_schema', json_schema: { name: 'person', schema: m.schema, strict: true } };
  if (m.think) p.reasoning_effort = 'medium';
  if (m.quiet) p.reasoning = { effort: 'medium', exclude: true };
  if (m.most) p.max_completion_tokens = m.most;
  if (m.stops) p.stop = m.stops;
  if (m.cool) p.temperature = 0.5;
  if (m.private) Object.assign(p, { logit_bias: { 50256: -100 }, verbosity: 'low' });
  return p;
}
