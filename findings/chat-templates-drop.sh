#!/bin/sh
# Chat templates: most of them drop `tools`, and some a system message, without any error.
#
# Version:  the 97 chat templates of real models in @huggingface/ollama-utils 0.0.18 (as they stand in the
#           models' GGUF files), rendered by @huggingface/jinja 0.5.11 on Node 20.20.
# Guess:    a template that knows no tools or no system role refuses them, so the server answers with an error.
# Seen:     the request succeeds and the model never sees the text. Of those that render the messages, most
#           show nothing of `tools`, DeepSeek V3 and Gemma 3 among them; Phi-3 medium, Phi-4 reasoning, NuExtract
#           and LLaMA Pro show nothing of the system message. Only Gemma 2 says "System role not supported".
# Output:   88 of 97 templates render a system and a user message
#           65 of them drop tools, among them deepseek-v3:671b, gemma3:270m, mistral-small:24b
#           5 drop the system message: granite3-guardian:2b, llama-pro:latest, nuextract:3.8b, phi3:14b,
#           phi4-reasoning:14b
# So:       put what a model has to know into the user message, and see by a word of it whether a model got it.
#
# Installs into a temporary folder. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent \
  @huggingface/ollama-utils@0.0.18 @huggingface/jinja@0.5.11 typescript@5.9.3
cat >look.cjs <<'END'
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { Template } = require('@huggingface/jinja');
const ts = require('typescript');
// The list is not exported, so its source is read.
const main = require.resolve('@huggingface/ollama-utils');
const source = readFileSync(path.join(path.dirname(main), '../src/chat-template-automap.ts'), 'utf8');
const script = { exports: {} };
const code = ts.transpileModule(source, { compilerOptions: { module: 'commonjs' } }).outputText;
new Function('exports', 'module', 'require', code)(script.exports, script, require);
const templates = script.exports.OLLAMA_CHAT_TEMPLATE_MAPPING;

const parameters = { type: 'object', properties: {}, required: [] };
const tools = [{ type: 'function', function: { name: 'a_tool', description: 'Does it.', parameters } }];
const messages = [
  { role: 'system', content: 'THE RULES' },
  { role: 'user', content: 'THE QUESTION' },
];
const dropped = { tools: [], system: [] };
let rendered = 0;
for (const { model, gguf } of templates) {
  const render = (values) => {
    try {
      return new Template(gguf).render({ messages, add_generation_prompt: true, bos_token: '', eos_token: '', ...values });
    } catch {
      return null;
    }
  };
  const [plain, withTools] = [render({}), render({ tools })];
  if (plain === null || !plain.includes('THE QUESTION')) continue;
  rendered += 1;
  if (!plain.includes('THE RULES')) dropped.system.push(model.replace('library/', ''));
  if (withTools !== null && !withTools.includes('a_tool')) dropped.tools.push(model.replace('library/', ''));
}
console.log(`${rendered} of ${templates.length} templates render a system and a user message`);
console.log(`${dropped.tools.length} of them drop tools, among them ${dropped.tools.filter((name) => /deepseek-v3:|gemma3|mistral-small/.test(name)).join(', ')}`);
console.log(`${dropped.system.length} drop the system message: ${dropped.system.join(', ')}`);
const isAsSeen =
  dropped.tools.length > rendered / 2 &&
  dropped.tools.includes('deepseek-v3:671b') &&
  dropped.tools.includes('gemma3:270m') &&
  dropped.system.includes('phi3:14b') &&
  dropped.system.includes('phi4-reasoning:14b');
if (!isAsSeen) {
  console.error('the behaviour has changed');
  process.exitCode = 1;
}
END
node look.cjs
