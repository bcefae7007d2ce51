#!/bin/sh
# llama.cpp: what its chat layer makes of a schema, of tools beside it, and of templates that want parts.
#
# Version:  llama.cpp b10257, as @fugood/node-llama-linux-x64 1.7.15 ships it (Node 20.20, Linux x64, with
#           libgomp1), and chat templates of @huggingface/ollama-utils 0.0.18.
# Guess:    1. With `response_format: json_schema`, strict, the output is the object and nothing else.
#           2. With tools beside the schema, a model may still call one; or the request is refused.
#           3. A template that wants content in parts gets parts, or the text as it was sent.
# Seen:     1. The grammar's root lets a model write the object into a ```json fence too.
#           2. The prompt shows the tools, the grammar has only the schema: no call can be written.
#           3. Llama 3.2 Vision's template prints the list, `[{'type': 'text', 'text': 'THE RULES'}]`, into
#              the prompt. Gemma 3's older template loses the system message. Neither is an error.
# Output:   1. root ::= space space ("```json" space response-format space "```" | space response-format space)
#           2. tools in the prompt: true, in the grammar: false
#           3. llama3.2-vision:90b: [{'type': 'text', 'text': 'THE RULES'}]; gemma3:1b: no rules
# So:       read an object wherever it stands, send no tools with a schema, keep the rules in the user message.
#
# Installs into a temporary folder and makes a model of made-up weights there. Exits with 1 when the
# behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent \
  @fugood/node-llama-linux-x64@1.7.15 @huggingface/ollama-utils@0.0.18 typescript@5.9.3
cat >look.cjs <<'END'
const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { LlamaContext } = require('@fugood/node-llama-linux-x64');
const ts = require('typescript');

// A GGUF file, version 3: two heads, one layer, the 256 bytes as tokens.
const n32 = (n) => Buffer.from(Uint32Array.of(n).buffer);
const n64 = (n) => Buffer.from(BigUint64Array.of(BigInt(n)).buffer);
const float = (n) => Buffer.from(Float32Array.of(n).buffer);
const text = (s) => Buffer.concat([n64(Buffer.byteLength(s)), Buffer.from(s)]);
const key = (name, type, value) => Buffer.concat([text(name), n32(type), value]);
const list = (name, type, items) => key(name, 9, Buffer.concat([n32(type), n64(items.length), ...items]));
const tokens = ['<unk>', '<s>', '</s>', ...Array.from({ length: 256 }, (_, n) => `<0x${n.toString(16).toUpperCase().padStart(2, '0')}>`)];
const keys = [
  key('general.architecture', 8, text('llama')),
  ...[['block_count', 1], ['context_length', 512], ['embedding_length', 32], ['feed_forward_length', 32], ['attention.head_count', 2], ['rope.dimension_count', 16], ['vocab_size', tokens.length]].map(([name, n]) => key(`llama.${name}`, 4, n32(n))),
  key('llama.attention.layer_norm_rms_epsilon', 6, float(1e-5)),
  key('tokenizer.ggml.model', 8, text('llama')),
  list('tokenizer.ggml.tokens', 8, tokens.map(text)),
  list('tokenizer.ggml.scores', 6, tokens.map(() => float(0))),
  list('tokenizer.ggml.token_type', 5, tokens.map((_, n) => n32(n === 0 ? 2 : n < 3 ? 3 : 6))),
];
const tensors = [['token_embd', [32, tokens.length]], ['output', [32, tokens.length]], ['output_norm', [32]], ['blk.0.attn_norm', [32]], ['blk.0.ffn_norm', [32]], ...['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'].map((name) => [`blk.0.${name}`, [32, 32]])];
let offset = 0;
const described = [];
const data = [];
for (const [name, sizes] of tensors) {
  described.push(text(`${name}.weight`), n32(sizes.length), ...sizes.map(n64), n32(0), n64(offset));
  const count = sizes.reduce((a, b) => a * b, 1);
  data.push(...Array.from({ length: count }, (_, n) => float(((n * 7919) % 1000) / 1000 - 0.5)));
  offset += count * 4;
}
const head = Buffer.concat([Buffer.from('GGUF'), n32(3), n64(tensors.length), n64(keys.length), ...keys, ...described]);
writeFileSync('tiny.gguf', Buffer.concat([head, Buffer.alloc((32 - (head.length % 32)) % 32), ...data]));
const llama = new LlamaContext({ model: 'tiny.gguf', n_ctx: 512, n_gpu_layers: 0, n_threads: 1 });

// The list is not exported, so its source is read.
const main = require.resolve('@huggingface/ollama-utils');
const source = readFileSync(path.join(path.dirname(main), '../src/chat-template-automap.ts'), 'utf8');
const script = { exports: {} };
new Function('exports', 'module', 'require', ts.transpileModule(source, { compilerOptions: { module: 'commonjs' } }).outputText)(script.exports, script, require);
const templateOf = (model) => script.exports.OLLAMA_CHAT_TEMPLATE_MAPPING.find((one) => one.model === `library/${model}`).gguf;

const messages = [{ role: 'system', content: 'THE RULES' }, { role: 'user', content: 'THE QUESTION' }];
const schema = { type: 'object', properties: { t: { type: 'string' } }, required: ['t'], additionalProperties: false };
const response_format = { type: 'json_schema', json_schema: { strict: true, schema } };
const tools = [{ type: 'function', function: { name: 'a_tool', description: 'Does it.', parameters: schema } }];
const PLAIN = '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{{ tools | tojson }}';

const both = llama.getFormattedChat(messages, PLAIN, { jinja: true, response_format, tools, tool_choice: 'auto' });
const root = /^root ::= .*/m.exec(both.grammar)[0];
const [shown, callable] = [both.prompt.includes('a_tool'), both.grammar.includes('a_tool')];
const vision = llama.getFormattedChat(messages, templateOf('llama3.2-vision:90b'), { jinja: true }).prompt;
const gemma = llama.getFormattedChat(messages, templateOf('gemma3:1b'), { jinja: true }).prompt;
console.log(`1. ${root}`);
console.log(`2. tools in the prompt: ${shown}, in the grammar: ${callable}`);
console.log(`3. llama3.2-vision:90b: ${/\[\{.*RULES.*\}\]/.exec(vision)?.[0] ?? 'plain'}; gemma3:1b: ${gemma.includes('THE RULES') ? 'rules' : 'no rules'}`);
const isAsSeen = root.includes('```json') && shown && !callable && /\[\{.*RULES/.test(vision) && !gemma.includes('THE RULES');
if (!isAsSeen) {
  console.error('the behaviour has changed');
  process.exitCode = 1;
}
END
node look.cjs 2>/dev/null | grep -v '^\[INFO\]' >seen.txt || true
cat seen.txt
grep -q '^1\. .*```json' seen.txt
grep -q '^2\. tools in the prompt: true, in the grammar: false$' seen.txt
grep -q '^3\. llama3.2-vision:90b: \[{.*; gemma3:1b: no rules$' seen.txt
