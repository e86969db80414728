import Anthropic from '@anthropic-ai/sdk';
import { key, tape, url } from './stage.mjs';

const stops = { end_turn: 'end', stop_sequence: 'end', tool_use: 'tools', max_tokens: 'length' };

// anthropic is Anthropic's SDK: whole answers by create, streams by its helper.
export const anthropic = {
  name: 'anthropic',
  dialect: 'anthropic',
  failure: (error) => error instanceof Anthropic.APIError && {
    status: error.status, kind: error.type, message: error.apiMessage ?? error.message, header: error.headers,
  },
  terms: {
    limited: 'rate_limit_error', wrong: 'invalid_request_error', busy: 'overloaded_error', locked: 'api_error',
    broken: 'api_error', page: 'api_error', gone: 'not_found_error', strict: 'invalid_request_error',
  },
  private: ['inference_geo'], // what no other dialect has
  open: (m) => new Talk(m),
};

export const client = (fetch) => new Anthropic({ baseURL: `${url}/api`, maxRetries: 0, apiKey: key, authToken: null, fetch });

class Talk {
  constructor(m) {
    this.manner = m;
    this.pictures = true; // tools may answer with them
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
    const content = [{ type: 'text', text }];
    if (image) content.push({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } });
    if (pdf) content.push({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } });
    this.params.messages.push({ role: 'user', content: image || pdf ? content : text });
    return this.send();
  }

  give(results) {
    const content = results.map(({ id, text, failed, image }) => ({
      type: 'tool_result', tool_use_id: id, is_error: failed,
      content: image ? [{ type: 'text', text }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } }] : text,
    }));
    this.params.messages.push({ role: 'user', content });
    return this.send();
  }

  async send() {
    const message = await this.message();
    this.params.messages.push({ role: message.role, content: message.content });
    const of = (type) => message.content.filter((block) => block.type === type);
    const { usage } = message;
    return {
      text: of('text').map((b) => b.text).join(''),
      thought: of('thinking').map((b) => b.thinking).join(''),
      calls: of('tool_use').map(({ id, name, input }) => ({ id, name, args: input })),
      stop: stops[message.stop_reason] ?? message.stop_reason,
      in: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
      out: usage.output_tokens,
      thinks: usage.output_tokens_details?.thinking_tokens ?? 0,
      model: message.model,
    };
  }

  async message() {
    const { stream, signal, watch, strict } = this.manner;
    const options = { signal, headers: strict ? { 'X-Stele-Strict': 'true' } : {} };
    if (!stream) return this.client.messages.create(this.params, options);
    if (stream === 'raw') return gather(await this.client.messages.create({ ...this.params, stream: true }, options), watch);
    const helper = this.client.messages.stream(this.params, options);
    helper.on('streamEvent', () => watch?.());
    return helper.finalMessage();
  }
}

// gather is a message put together by hand, as those do who do not use the helper.
async function gather(stream, watch) {
  let message;
  for await (const event of stream) {
    watch?.();
    const block = message?.content[event.index];
    switch (event.type) {
      case 'message_start':
        message = { ...event.message, content: [] };
        break;
      case 'content_block_start':
        message.content[event.index] = { ...event.content_block, ...(event.content_block.type === 'tool_use' && { input: '' }) };
        break;
      case 'content_block_delta':
        if (event.delta.text) block.text += event.delta.text;
        if (event.delta.thinking) block.thinking += event.delta.thinking;
        if (event.delta.signature) block.signature = event.delta.signature;
        if (event.delta.partial_json) block.input += event.delta.partial_json;
        break;
      case 'content_block_stop':
        if (block.type === 'tool_use') block.input = JSON.parse(block.input || '{}');
        break;
      case 'message_delta':
        message.stop_reason = event.delta.stop_reason;
        message.usage = { ...message.usage, ...event.usage };
    }
  }
  return message;
}

// The API of this version knows no sampling: a cool manner is as any other.
function params(m) {
  const p = { model: m.model, max_tokens: m.most ?? 16000, messages: [] };
  if (m.system) p.system = m.system;
  if (m.tools) p.tools = m.tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
  if (m.choice) p.tool_choice = ['any', 'none'].includes(m.choice) ? { type: m.choice } : { type: 'tool', name: m.choice };
  if (m.schema) p.output_config = { format: { type: 'json_schema', schema: m.schema } };
  if (m.think && /claude.*-(4-[67]|5-5)/.test(m.model)) {
    p.thinking = { type: 'adaptive', display: 'summarized' };
    p.output_config = { ...p.output_config, effort: 'medium' };
  } else if (m.think) {
    p.thinking = { type: 'enabled', budget_tokens: 4096 };
  }
  if (m.quiet) p.thinking.display = 'omitted';
  if (m.stops) p.stop_sequences = m.stops;
  if (m.private) p.inference_geo = 'eu';
  return p;
}
