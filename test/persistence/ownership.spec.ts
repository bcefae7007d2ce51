import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { createTestDatabase } from '../support/postgres';
import { rowsOf } from '../support/outside';

const SRC = path.join(__dirname, '..', '..', 'src');

/** One place where a file of src/ reads or writes a table or view. */
interface TableAccess {
  /** Relative to src/. */
  readonly file: string;
  /** `jobs`, `channels/telegram`, … */
  readonly room: string;
  readonly kind: 'reads' | 'writes';
  readonly table: string;
}

/** Every access to these tables in the SQL of src/, except in definitions of tables and views. */
function accessesOf(tables: ReadonlySet<string>): TableAccess[] {
  return readdirSync(SRC, { encoding: 'utf8', recursive: true })
    .filter(
      (file) =>
        /\.(ts|sql)$/.test(file) && !/^persistence\/(migrations|sql\/views|sql\/tables)/.test(file),
    )
    .flatMap((file) => sqlOf(file).flatMap((sql) => accessesIn(sql, file, tables)));
}

/** A `.sql` file, or the strings of a TypeScript file with `$x` in place of each expression. */
function sqlOf(file: string): string[] {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  if (file.endsWith('.sql')) return [text];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    if (ts.isTemplateExpression(node)) {
      const rest = node.templateSpans.map(({ literal }) => ` $x ${literal.text}`);
      found.push(node.head.text + rest.join(''));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

const SQL = /\b(select|insert\s+into|update|delete\s+from|truncate|join|from)\b/;
/** Matches `with NAME as (` and `, NAME (columns) as (`: such a NAME is no table. */
const COMMON_TABLE =
  /\b(\w+)\s*(?:\([^)]*\))?\s+as\s+(?:not\s+materialized\s+|materialized\s+)?\(/g;
/** A clause and the tables that follow it, with their aliases, separated by commas. */
const CLAUSE =
  /\b(?:(insert\s+into|delete\s+from|truncate|(?<!for )(?<!for no key )(?<!do )update)\s+(?:only\s+)?([a-z_]+)|(?:from|join|using)\s+(?:only\s+|lateral\s+)?([a-z_]+)\b(?!\s*\())((?:\s+\w+)?(?:\s*,\s*[a-z_]+(?:\s+[a-z]+)?)*)/g;

function accessesIn(sql: string, file: string, tables: ReadonlySet<string>): TableAccess[] {
  const text = sql.replace(/--.*$/gm, ' ');
  if (!SQL.test(text)) return [];
  const named = new Set([...text.matchAll(COMMON_TABLE)].map(([, name]) => name));
  const room = roomOf(file);
  return [...text.matchAll(CLAUSE)].flatMap(([, write, written = '', read = '', more = '']) => {
    const others = more.split(',').slice(1);
    const next = others.map((other) => other.trim().split(/\s+/)[0] ?? '');
    const kind = write === undefined ? 'reads' : 'writes';
    return [written, read, ...next]
      .filter((name) => tables.has(name) && (kind === 'writes' || !named.has(name)))
      .map((table) => ({ file, room, kind, table }) as const);
  });
}

const ROOMS = new Map([
  ['buffer', 'buffer'],
  ['delivery', 'delivery'],
  ['interview', 'interview'],
  ['notify', 'candidates'],
  ['telegram', 'channels/telegram'],
  ['notion', 'notion-sync'],
]);

/** The room of a file; a function in persistence/sql belongs to the room whose tables it writes. */
function roomOf(file: string): string {
  const name = /^persistence\/sql\/functions\/([a-z]+)_/.exec(file)?.[1];
  if (name !== undefined) return ROOMS.get(name) ?? 'persistence';
  return /^(channels\/[^/]+|[^/]+)/.exec(file)?.[0] ?? '';
}

/** The rooms that own each table. Only they may write it or read it without a reason given below. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  jobs: ['job'],
  // The buffer writes a candidate's lines to `message` and counts them in `conversation`.
  'interview, buffer': [
    'conversation',
    'message',
    'message_label',
    'turn',
    'interview_closing',
    'reply_request',
    'voice',
    'file',
  ],
  streams: ['turn_segment'],
  llm: ['llm_request', 'llm_attempt'],
  delivery: ['delivery', 'delivery_attempt', 'channel_limiter'],
  vacancies: [
    'vacancy',
    'vacancy_logo',
    'vacancy_version',
    'invitation',
    'deployment_secret',
    'instance',
    'open_link_use',
  ],
  candidates: ['candidate', 'account', 'account_conversation', 'continuation', 'web_session'],
  common: ['idempotent_request'],
  invitations: ['invitation_import', 'invitation_import_row'],
  attention: ['attention', 'attention_claim'],
  access: ['api_key', 'app_user', 'saved_view', 'user_link', 'user_session'],
  knowledge: ['knowledge_document', 'knowledge_passage', 'knowledge_embedding'],
  privacy: ['audit_event', 'erasure', 'legal_hold'],
  scoring: [
    'rubric_version',
    'scoring_prompt',
    'score_run',
    'score_sample',
    'late_message',
    'decision',
    'decision_file',
    'rating_item',
    'person_rating',
    'interview_comment',
    'certification',
    'fairness_result',
  ],
  'channels/telegram': [
    'telegram_account',
    'telegram_update',
    'telegram_bot_reply',
    'telegram_poller',
    'pin_budget',
    'pin_failure',
  ],
  'notion-sync': [
    'notion_board_approval',
    'notion_enrolment',
    'notion_event',
    'notion_limiter',
    'notion_page',
    'notion_property',
    'notion_read',
    'notion_review',
    'notion_sweep',
    'notion_user',
  ],
  persistence: ['migrations'],
};

/** Views that any room may read; their columns are a contract. */
const READ_MODELS = ['flush_log', 'live_job', 'notion_user_status'];

const DELETES_A_PERSON = 'erases and exports everything of a person; every-table.spec.ts proves it';
const OLD_RECORDS = 'deletes scores and decisions by their age, unless their candidate is on hold';
const SUBJECTS = 'the audit is shown with what its rows are about, while that is there';
const TOLD_BEFORE = 'before an erasure a person is told how much it deletes, in one statement';
const TIMER =
  'the debounce timer of a queue is a row of `job`; it is set in the commit that needs it';
const LISTED = 'programs list it with what other rooms know of it, in one statement';
const NOTED =
  'triggers note in a listed row what other tables know of it (note_listed_facts.sql), so that no writer forgets it';
const AGREED =
  'a trigger notes whether a candidate has agreed (note_agreed.sql), so that a sweep need not read all interviews';
const CHECKED =
  'a trigger moves the time at which a claim looks at a job that is due earlier (check_job_earlier.sql), whoever made it so';
const APPEND =
  'one statement stores a message and sets its timer, because it runs most often of all';

/** Allowed accesses to tables of other rooms (`room kind table`), each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'attention reads conversation':
    'a key that is limited to vacancies is shown the items about their interviews, in one statement',
  'buffer reads job': APPEND,
  'buffer writes job': APPEND,
  'candidates reads conversation': 'which vacancies know a candidate, in one statement',
  'candidates reads invitation': 'which vacancies know a candidate, in one statement',
  'channels/telegram reads account_conversation': 'its accounts are locked before their interviews',
  'channels/telegram reads attention': 'a bot reply is kept while an item about it is open',
  'channels/telegram reads conversation': 'its accounts are locked before their interviews',
  'channels/telegram reads deployment_secret': 'PINs are counted by their keyed hash',
  'channels/telegram reads message': 'where a candidate wrote last',
  'channels/telegram reads turn': 'the typing indicator is shown in the chat of the turn',
  'delivery reads conversation': 'language and lock of the conversation of a part',
  'delivery reads message': 'a part that is the whole message is stored without its text',
  'channels/telegram reads instance': 'a link opens an interview again in the bot, by its name',
  'channels/telegram reads vacancy':
    'a message about an interview that is not open in the chat names it',
  'invitations reads candidate': LISTED,
  'invitations reads conversation': LISTED,
  'invitations reads invitation': LISTED,
  'invitations reads vacancy': 'an import names its vacancy by the slug, in one statement',
  'interview reads attention': LISTED,
  'interview reads candidate': 'a conversation is begun only while its candidate exists',
  'interview reads invitation': LISTED,
  'interview reads vacancy': LISTED,
  'interview reads web_session': 'until when a silent candidate can come back, in one statement',
  'interview reads delivery': 'which message of a channel repeats which voice',
  'knowledge reads vacancy': 'documents are replaced under the lock of their vacancy',
  'notion-sync reads job': TIMER,
  'notion-sync writes job': TIMER,
  'persistence reads candidate': NOTED,
  'persistence reads conversation': NOTED,
  'persistence reads decision': NOTED,
  'persistence reads score_run': NOTED,
  'persistence writes candidate': AGREED,
  'persistence writes job': CHECKED,
  'persistence writes conversation': NOTED,
  'persistence writes invitation': NOTED,
  'privacy reads api_key': SUBJECTS,
  'privacy reads app_user': SUBJECTS,
  'privacy reads attention': DELETES_A_PERSON,
  'privacy reads candidate': DELETES_A_PERSON,
  'privacy reads continuation': DELETES_A_PERSON,
  'privacy reads conversation': DELETES_A_PERSON,
  'privacy reads decision': TOLD_BEFORE,
  'privacy reads delivery': DELETES_A_PERSON,
  'privacy reads file': DELETES_A_PERSON,
  'privacy reads interview_comment': TOLD_BEFORE,
  'privacy reads invitation': DELETES_A_PERSON,
  'privacy reads llm_attempt': DELETES_A_PERSON,
  'privacy reads llm_request': DELETES_A_PERSON,
  'privacy reads message': DELETES_A_PERSON,
  'privacy reads message_label': DELETES_A_PERSON,
  'privacy reads person_rating': TOLD_BEFORE,
  'privacy reads rating_item': TOLD_BEFORE,
  'privacy reads reply_request': DELETES_A_PERSON,
  'privacy reads score_run': TOLD_BEFORE,
  'privacy reads turn': DELETES_A_PERSON,
  'privacy reads vacancy': DELETES_A_PERSON,
  'privacy reads voice': DELETES_A_PERSON,
  'privacy reads web_session': DELETES_A_PERSON,
  'privacy writes candidate': DELETES_A_PERSON,
  'privacy writes conversation': DELETES_A_PERSON,
  'privacy writes file': 'deletes the bytes of files by their age',
  'privacy writes llm_request': DELETES_A_PERSON,
  'privacy writes voice': 'deletes the bytes of recordings by their age',
  'scoring reads conversation':
    'whose answers may be scored and rated; only words under the consent count',
  'scoring reads candidate': OLD_RECORDS,
  'scoring reads legal_hold': OLD_RECORDS,
  'scoring reads vacancy': 'whether the notices of a vacancy ask for a letter about a decision',
  'scoring reads message':
    'all answers by question, with corrections in their place, in one statement',
  'scoring reads turn':
    'what the reply made of an answer: one that was too little before a skip is not rated',
  'scoring reads message_label':
    'which question an addition or a correction belongs to, in that statement',
  'streams reads conversation': 'whom on the team a change of an interview is told',
  'streams reads message': 'the text of a reply that is stored',
  'streams reads turn': 'which reply is being written, and by which claim',
  'vacancies reads candidate': 'an invitation is found by the user name of its candidate',
};

const owned = Object.values(OWNERS).flat();
const ownersOf = (table: string): string =>
  Object.entries(OWNERS).find(([, tables]) => tables.includes(table))?.[0] ?? '';
const isOwn = ({ room, table }: TableAccess): boolean => ownersOf(table).split(', ').includes(room);
const nameOf = ({ room, kind, table }: TableAccess): string => `${room} ${kind} ${table}`;

const accesses = accessesOf(new Set(owned));
const foreign = accesses.filter((access) => !isOwn(access));

test('every table of the schema has one owner', async () => {
  const database = await createTestDatabase();
  const rows = await rowsOf<{ name: string; isView: boolean }>(
    database.url,
    `select table_name as name, table_type = 'VIEW' as "isView" from information_schema.tables
     where table_schema = 'public' order by 1`,
  );
  await database.drop();

  const names = (isView: boolean) =>
    rows.filter((row) => row.isView === isView).map(({ name }) => name);
  expect(owned.toSorted()).toEqual(names(false));
  expect(READ_MODELS.toSorted()).toEqual(names(true));
});

test('every owner uses its tables, so the SQL of all rooms is found', () => {
  const used = new Set(accesses.filter(isOwn).map(({ table }) => table));

  expect(owned.filter((table) => !used.has(table))).toEqual([]);
});

test('SQL on tables is only in repositories, entities and src/persistence', () => {
  const elsewhere = accesses.filter(
    ({ file }) => !/\.(repository|entity)\.ts$|^persistence\/|\.sql$/.test(file),
  );

  expect([...new Set(elsewhere.map(({ file }) => file))]).toEqual([]);
});

test('a room reads or writes a table of another room only for a reason given here', () => {
  const unexplained = foreign.filter((access) => EXCEPTIONS[nameOf(access)] === undefined);

  expect(unexplained.map((access) => `${nameOf(access)} (${access.file})`)).toEqual([]);
});

test('each reason given here is still needed', () => {
  const needed = new Set(foreign.map(nameOf));

  expect(Object.keys(EXCEPTIONS).filter((name) => !needed.has(name))).toEqual([]);
});

test('the tables of conversations and jobs are written by their owners and by named exceptions', () => {
  const writers = (table: string): string[] =>
    [
      ...new Set(
        accesses
          .filter((one) => one.kind === 'writes' && one.table === table)
          .map(({ room }) => room),
      ),
    ].toSorted();

  expect(writers('job')).toEqual(['buffer', 'jobs', 'notion-sync', 'persistence']);
  expect(writers('conversation')).toEqual(['buffer', 'interview', 'persistence', 'privacy']);
  expect(writers('turn')).toEqual(['interview']);
});
