/**
 * How each command of the documents is verified, in the order in which they are run. A command that no
 * rule matches fails the run: give it a rule, or a reason why it cannot be run here.
 *
 *   serve    it runs until a signal: `ready` appears in its output, then Ctrl-C ends it with code 0
 *   run      it ends with code 0 within its time; `expect` appears in its output
 *   suite    as run, but it takes long: the part "suites"
 *   skip     it cannot be run here, for this reason
 *
 * `match` is tried on the command, `at` on where it stands (`docs/api.md:47`): for shell text of several lines.
 * `with` replaces the document's placeholders. `program`: without it the command is
 * not run, and the report says so.
 */
const CLUSTER = 'needs a cluster; test/deployment/kubernetes.spec.ts checks the manifests';
const ENGINE = 'needs a container engine; `npm run image:rehearse` does the same steps without one';
const NOTION =
  'needs a Notion workspace; test/cli/notion.spec.ts runs it on the Notion of tools/fake-notion';
const CLIENTS =
  'needs the programs of a PostgreSQL server; `npm run backup:rehearse` runs them where they are';
/** On a terminal with its version, in a log without. */
const READY = /Colloquy (\S+ )?is ready/;
const MINUTE_MS = 60_000;

const candidate = (command, { candidateId }) => command.replace(/\bID\b/, candidateId);
const conversation = (command, { conversationId }) =>
  command.replace('CONVERSATION_ID', conversationId);
const item = (command, { items }) => command.replace(/\bID\b/, items[0]);
/** What is closed cannot be closed again, so each command gets an item of its own. */
const lastItem = (command, { items }) =>
  command.replace(/\bID\b/, items.pop()).replace(/\bNAME\b/, 'Nora');

export const RULES = [
  { match: /^npm ci && npm start$/, kind: 'serve', ready: READY, isMain: true },
  { match: /^cp examples\//, kind: 'run' },
  { match: /^sed -i /, kind: 'run' },
  { match: /^cp deploy\/kubernetes\/secrets\.env\.example /, kind: 'run' },
  { match: /^\.\/colloquy vacancy import /, kind: 'run', expect: /\/i\// },
  { match: /^\.\/colloquy invite /, kind: 'run', expect: /\d{4}-\d{4}-\d{4}/ },
  { match: /^\.\/colloquy transcript$/, kind: 'run', expect: /Ada Lovelace/ },
  { match: /^\.\/colloquy transcript /, kind: 'run', with: conversation, expect: /Candidate id/ },
  { match: /^\.\/colloquy vacancy export /, kind: 'run' },
  { match: /^\.\/colloquy vacancy close /, kind: 'run', expect: /Closed: no new interview begins/ },
  { match: /^\.\/colloquy vacancy reopen /, kind: 'run', expect: /Open again/ },
  { match: /^\.\/colloquy decision record /, kind: 'run', with: candidate },
  { match: /^\.\/colloquy attention$/, kind: 'run', expect: /handed_over|person/ },
  { match: /^\.\/colloquy attention (show|reply|return) /, kind: 'run', with: item },
  {
    match: /^\.\/colloquy attention replay /,
    kind: 'skip',
    reason: 'needs work that failed; test/attention/admin-api.spec.ts replays it',
  },
  { match: /^\.\/colloquy attention (answer|close) /, kind: 'run', with: lastItem },
  { match: /^\.\/colloquy candidate (hold|release) /, kind: 'run', with: candidate },
  { match: /^\.\/colloquy retention /, kind: 'run' },
  {
    match: /^curl -\S+ .*https:\/\/jobs\.example\.org\/health\/ready/,
    kind: 'run',
    with: (command, { base }) => command.replace('https://jobs.example.org', base),
    expect: /"status":"ok"/,
  },
  {
    match: /^curl -\S+ http:\/\/localhost:3000\/docs\//,
    kind: 'run',
    with: (command, { base }) => command.replace('http://localhost:3000', base),
    expect: /"asyncapi":"3\.0\.0"/,
  },
  { match: /^\.\/colloquy key create /, kind: 'run', expect: /colloquy_[\w-]{43}/ },
  {
    match: /^curl -\S+ http:\/\/localhost:3000\/api\/v1\/admin\//,
    kind: 'run',
    with: (command, { base, key }) =>
      command.replace('http://localhost:3000', base).replace('$KEY', key),
    expect: /"items":\[/,
  },
  {
    match: /^(printf 'name,email|curl -\S+ "?\$BASE\/api\/v1\/(vacancies|invitation-imports)\/)/,
    kind: 'skip',
    reason: 'needs an admin token; test/invitations/invitation-imports.spec.ts sends the same',
  },
  {
    match: /^\.\/colloquy candidate export /,
    kind: 'run',
    with: candidate,
    expect: /Ada Lovelace/,
  },
  { match: /^\.\/colloquy candidate erase /, kind: 'run', with: candidate },
  {
    match: /^OPENAI_API_KEY=… OPENAI_MODEL=\S+ npm start$/,
    kind: 'serve',
    ready: READY,
    // A server that does not respond: nothing of this machine goes to a real one.
    with: (command) => command.replace('…', 'test OPENAI_BASE_URL=http://127.0.0.1:9/v1'),
  },
  { match: /^npm run demo(:telegram)?$/, kind: 'serve', ready: /Ctrl-C stops everything/ },
  {
    match: /^TELEGRAM_BOT_TOKEN=\S+ TELEGRAM_BOT_NAME=\S+ npm start$/,
    kind: 'skip',
    reason: 'needs a bot of Telegram; `npm run demo:telegram` runs the same on tools/fake-telegram',
  },
  {
    match: /^(TELEGRAM|PUBLIC|OIDC)_\w+=\S+( login)?\s*(#|$)/,
    kind: 'skip',
    reason: 'a setting and no command; docs/configuration.md is made from the code',
  },
  { match: /^promtool (check|test) rules /, kind: 'run', program: 'promtool' },
  { match: /^npm run mutate -- /, kind: 'suite', limitMs: 60 * MINUTE_MS },
  {
    match: /^npm run dashboards:check$/,
    kind: 'suite',
    program: 'prometheus',
    limitMs: 10 * MINUTE_MS,
  },
  { match: /^\.\/colloquy notion (doctor|plan|why)\b/, kind: 'skip', reason: NOTION },
  { match: /^kubectl /, kind: 'skip', reason: CLUSTER },
  { match: /^docker /, kind: 'skip', reason: ENGINE },
  { match: /^echo "POSTGRES_PASSWORD=/, kind: 'skip', reason: ENGINE },
  { match: /^(pg_dump|createdb|pg_restore) /, kind: 'skip', reason: CLIENTS },
  { match: /^npm ci && npm test$/, kind: 'suite', limitMs: 30 * MINUTE_MS },
  { match: /^npm run check$/, kind: 'suite', limitMs: 20 * MINUTE_MS },
  { match: /^npm test -- /, kind: 'suite', limitMs: 20 * MINUTE_MS },
  { match: /^npm run test:(long|browser)$/, kind: 'suite', limitMs: 60 * MINUTE_MS },
  { match: /^npm run (image|backup):rehearse$/, kind: 'suite', limitMs: 20 * MINUTE_MS },
  { match: /^npm run bench\b/, kind: 'suite', limitMs: 60 * MINUTE_MS },
  {
    match: /^npm run (storm|fuzz)\b/,
    kind: 'skip',
    reason: 'a part of its own of `npm run verify:full`',
  },
  {
    at: /^docs\/api\.md:/,
    kind: 'skip',
    reason: 'needs what the calls before it made; test/admin/ten-calls.spec.ts pastes all of them',
  },
];
