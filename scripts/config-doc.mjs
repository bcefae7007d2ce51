/**
 * Writes docs/configuration.md and .env.example from the settings that the code declares, and
 * docs/metrics.md from its metrics, docs/errors.md from its problem codes, and docs/vacancy-file.md and
 * docs/vacancy.schema.json from the schema of a vacancy's file. `--check` writes nothing and fails when a file is not up to date.
 */
import { createRequire } from 'node:module';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { declaredMetrics } from './metrics-table.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
require(path.join(root, 'tools', 'support', 'swc-register.cjs'));
const { SETTINGS } = require(path.join(root, 'src', 'common', 'config', 'index.ts'));

const { keysOf, vacancyJsonSchema } = require(path.join(root, 'src', 'vacancies', 'index.ts'));
const { problemTable } = require(path.join(root, 'src', 'common', 'http', 'index.ts'));

const table = SETTINGS.map(({ variable, doc, defaultText, expects }) => {
  const shown = defaultText === '' ? '(empty)' : `\`${defaultText}\``;
  return `| \`${variable}\` | ${shown} | ${expects} | ${doc.replaceAll('|', '\\|')} |`;
});
const secrets = SETTINGS.filter(({ isSecret }) => isSecret)
  .map(({ variable }) => `\`${variable}\``)
  .join(', ');
const markdown = `# Configuration

Colloquy reads its settings from the environment once, when it starts. If a value is invalid, it does not
start and prints one line for each invalid setting. \`npm run config:doc\` writes this table from
\`src/common/config/settings.ts\`; \`./colloquy start --help\` shows it too.

It does not start either when a variable looks like a setting and is none: an old name, a mistyped one, any other with a first word
of ours (INTERVIEW_, TELEGRAM_, NOTION_, JOB_ and the like). Variables that Kubernetes makes for its Services (\`NOTION_SERVICE_HOST\`)
and those with words of others (OTEL_, NODE_, OPENAI_, DATABASE_, LOG_, SESSION_, USER_) are left alone, unless they are nearly a setting's name.

A secret may be in a file instead: \`DATABASE_URL_FILE=/run/secrets/database-url\` instead of \`DATABASE_URL\`, as
Kubernetes and Docker mount secrets. This holds for ${secrets}. An empty file means the default.

| Setting | Default | Accepts | Meaning |
| --- | --- | --- | --- |
${table.join('\n')}
`;

const example = SETTINGS.map(
  ({ variable, doc, defaultText, expects }) =>
    `# ${doc} (${expects})\n#${variable}=${defaultText}\n`,
);
const env = `# Settings of Colloquy with their defaults; remove the # to change one.\n\n${example.join('\n')}`;

const metricRows = declaredMetrics(root).map(({ name, kind, labels, help }) => {
  const labelled = labels.map((label) => `\`${label}\``).join(', ');
  return `| \`${name}\` | ${kind} | ${labelled} | ${help.replaceAll('|', '\\|')} |`;
});
const metrics = `# Metrics

\`/metrics\` exports these in Prometheus text format, together with Node's own \`process_*\` and \`nodejs_*\`.
Durations are in seconds. \`npm run config:doc\` writes this table from the calls that declare the metrics.

| Metric | Kind | Labels | Meaning |
| --- | --- | --- | --- |
${metricRows.join('\n')}
`;

const errors = `# Errors of the API

Every refusal is a problem document (RFC 9457, \`application/problem+json\`): \`status\`, \`title\` for people, which may
change, and \`code\` for programs, which does not. With 429 and 503 comes \`Retry-After\` in seconds. A message that is sent
again with the same id is stored once. \`npm run config:doc\` writes this table from \`src/common/http/problem-codes.ts\`.

${problemTable()}
`;

const vacancySchema = vacancyJsonSchema();
const formOf = ({ type, enum: words, anyOf, minLength, maxLength, minimum, maximum }) => {
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(' or ');
  if (anyOf !== undefined) return anyOf.map(formOf).join(' or ');
  const range = maxLength === undefined ? '' : ` of ${minLength ?? 0} to ${maxLength} characters`;
  if (type === 'integer') return `${minimum} to ${maximum}`;
  const names = { string: 'text', array: 'list', object: 'mapping', boolean: '`true` or `false`' };
  return `${names[type] ?? type}${range}`;
};
const vacancyRows = keysOf(vacancySchema).map(({ path: key, schema, isRequired }) => {
  const byDefault =
    schema.default === undefined ? '' : `, \`${String(schema.default)}\` by default`;
  const isNeeded = isRequired ? 'yes' : '';
  return `| \`${key}\` | ${formOf(schema)}${byDefault} | ${isNeeded} | ${schema.description ?? ''} |`;
});
const vacancy = `# The vacancy file

A vacancy is one YAML file, loaded by \`./colloquy vacancy import FILE\`. [An example in English](../examples/backend-engineer.en.yaml)
and [one in Russian](../examples/support-lead.ru.yaml) have every key with a comment. A mistake is reported with its line, and
nothing of the file is loaded.

Editors check the file while you write it, by [the JSON Schema](vacancy.schema.json): the first line of the examples names it, and
the YAML extension of VS Code (and every editor with yaml-language-server) reads that line.

\`\`\`yaml
# yaml-language-server: $schema=../docs/vacancy.schema.json
\`\`\`

The import also checks what a JSON Schema cannot say: that weights add up to 100, that a knockout question is a must-ask
question, that colours can be read, that files exist. \`npm run config:doc\` writes this page and the schema from
\`src/vacancies/vacancy-schema.ts\`.

| Key | Value | Required | Meaning |
| --- | --- | --- | --- |
${vacancyRows.join('\n')}
`;

let stale = 0;
for (const [file, text] of [
  ['docs/configuration.md', markdown],
  ['.env.example', env],
  ['docs/metrics.md', metrics],
  ['docs/errors.md', errors],
  ['docs/vacancy-file.md', vacancy],
  ['docs/vacancy.schema.json', `${JSON.stringify(vacancySchema, null, 2)}\n`],
]) {
  const place = path.join(root, file);
  const current = existsSync(place) ? readFileSync(place, 'utf8') : '';
  if (current === text) continue;
  stale += 1;
  if (process.argv.includes('--check'))
    console.error(`${file} is out of date; run "npm run config:doc"`);
  else writeFileSync(place, text);
}
process.exit(process.argv.includes('--check') && stale > 0 ? 1 : 0);
