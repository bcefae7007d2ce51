#!/bin/sh
# xgrammar: a string with `maxLength` can hold no quotation mark and no line break.
#
# Version:  @mlc-ai/web-xgrammar 0.1.27 (Node 20.20), the engine of vLLM, SGLang and MLC.
# Guess:    `maxLength: 20` bounds the length of the string and changes nothing else, as JSON Schema says.
# Seen:     with the bound, the grammar of the string becomes `"\"" [^"\\\r\n]{0,20} "\""`. It has no escape,
#           so a model is kept from writing {"t":"a\"b"} or {"t":"a\nb"}, which are valid under the schema.
#           `minLength: 1` does the same. Without a bound both are accepted.
# Output:   without bound: plain true, a "quoted" word true, two lines true
#           maxLength 20: plain true, a "quoted" word false, two lines false
#           minLength 1: plain true, a "quoted" word false, two lines false
# So:       bound lists by `maxItems` (enforced) and the whole output by its tokens, never strings.
#
# Installs into a temporary folder. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent @mlc-ai/web-xgrammar@0.1.27
cat >look.cjs <<'END'
const { readFileSync } = require('node:fs');
const Module = require('node:module');
// The package calls itself an ES module and is a script with `require`.
const file = require.resolve('@mlc-ai/web-xgrammar');
const script = new Module(file);
script.filename = file;
script._compile(readFileSync(file, 'utf8'), file);
const { Grammar, Testings } = script.exports;

async function main() {
  const seen = [];
  for (const [name, bound] of [['without bound', {}], ['maxLength 20', { maxLength: 20 }], ['minLength 1', { minLength: 1 }]]) {
    const properties = { t: { type: 'string', ...bound } };
    const schema = { type: 'object', properties, required: ['t'], additionalProperties: false };
    const grammar = await Grammar.fromJSONSchema(JSON.stringify(schema));
    const accepts = (t) => Testings.isGrammarAcceptString(grammar, JSON.stringify({ t }));
    const plain = await accepts('one word');
    const quoted = await accepts('a "quoted" word');
    const lines = await accepts('two\nlines');
    console.log(`${name}: plain ${plain}, a "quoted" word ${quoted}, two lines ${lines}`);
    seen.push(plain, quoted, lines);
  }
  const expected = [true, true, true, true, false, false, true, false, false];
  if (JSON.stringify(seen) !== JSON.stringify(expected)) throw new Error('the behaviour has changed');
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
END
node look.cjs
