import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/persistence';
import { createTestDatabase } from '../support/postgres';

/**
 * Tables that hold nothing about a candidate, and what they hold. A new table is added here, or its
 * rows refer to a candidate's rows by `on delete cascade`, or it is erased by name (see below).
 */
const WITHOUT_PERSONAL_DATA: Readonly<Record<string, string>> = {
  api_key: 'keys of programs, with names that the company chose',
  app_user: 'colleagues of the hiring team, who are no candidates',
  audit_event:
    'who read or erased data; the candidate only as a hash, which leads to nobody after an erasure',
  certification: "the company's: which rubrics are certified, and figures over all answers",
  channel_limiter: 'until when a channel is paused',
  decision_file: 'hashes of decision files, in the order of their chain; no name and no id',
  deployment_secret: 'the salt of PINs',
  instance: 'where the running application is reached',
  erasure: 'when a candidate was erased and how much, but not who',
  fairness_result: "the company's: figures over answers that nobody gave",
  idempotent_request: 'responses of a day to programs, encrypted by keys that only they have',
  invitation_import: 'how many rows a file had, and what became of them',
  knowledge_document: "the company's",
  knowledge_embedding: "the company's",
  knowledge_passage: "the company's",
  migrations: "the program's",
  notion_board_approval:
    "employees' ids: the next ranking of their boards is not stopped by the brake",
  notion_enrolment: 'the token of a webhook',
  notion_event: 'which events of Notion were taken',
  notion_limiter: 'when Notion was called and may be called next',
  notion_page: 'which member of the hiring team each page is assigned to',
  notion_property: "Notion's ids of the columns of a board",
  notion_read: 'which pages have to be read, and which member of the hiring team changed them',
  notion_sweep: 'how far the sweep of boards has come',
  open_link_use: 'how many interviews and bytes each open link brought in each minute',
  pin_budget: 'how many wrong PINs there were, from all accounts together',
  pin_failure:
    'how many wrong PINs an account sent; only a keyed hash of it, so that an erasure ends no lock',
  notion_user: 'how the boards of the hiring team were ranked',
  saved_view: 'views of the list of interviews that colleagues have saved',
  rubric_version: "the company's",
  scoring_prompt: "the program's",
  user_link: 'links by which colleagues join the hiring team',
  user_session: 'browsers in which colleagues have signed in',
  telegram_poller: 'which replica polls',
  vacancy: "the company's",
  vacancy_logo: "the company's",
  vacancy_version: "the company's: what files of vacancies were, and which colleague changed them",
};

/**
 * Tables without a foreign key to a candidate. PersonalDataService.erase deletes their rows itself.
 * A row that stands for a page in Notion is deleted later, by the job that removes the page.
 */
const ERASED_BY_NAME = ['account', 'candidate', 'llm_request', 'notion_review', 'job'];

interface Reference {
  readonly name: string;
  readonly parent: string;
  readonly isCascade: boolean;
}

let dataSource: DataSource;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  dataSource = createDataSource({ url: database.url, poolSize: 1 });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await drop();
});

function tables(): Promise<{ name: string }[]> {
  return dataSource.query(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
}

function references(): Promise<Reference[]> {
  return dataSource.query(
    `select conrelid::regclass::text as name, confrelid::regclass::text as parent,
       confdeltype = 'c' as "isCascade"
     from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  );
}

/** Tables whose rows are gone when an erasure is over. */
function erasedWith(known: readonly Reference[]): Set<string> {
  const erased = new Set(ERASED_BY_NAME);
  for (let size = 0; size !== erased.size;) {
    size = erased.size;
    for (const { name, parent, isCascade } of known) {
      if (isCascade && erased.has(parent)) erased.add(name);
    }
  }
  return erased;
}

/** Tables that are neither erased with a person nor listed as holding no personal data. */
async function forgotten(): Promise<string[]> {
  const erased = erasedWith(await references());
  const all = (await tables()).map(({ name }) => name);
  return all.filter((name) => !erased.has(name) && !(name in WITHOUT_PERSONAL_DATA));
}

test('every table is erased with a person, or is listed as holding no personal data', async () => {
  expect(await forgotten()).toEqual([]);
});

test('no table that is listed as holding no personal data refers to a person', async () => {
  const erased = erasedWith(await references());
  const referring = (await references()).filter(
    ({ name, parent }) => name in WITHOUT_PERSONAL_DATA && erased.has(parent),
  );
  expect(referring).toEqual([]);
});

test('the lists of tables name only tables that exist', async () => {
  const all = (await tables()).map(({ name }) => name);
  const listed = [...ERASED_BY_NAME, ...Object.keys(WITHOUT_PERSONAL_DATA)];
  expect(listed.filter((name) => !all.includes(name))).toEqual([]);
});

test.each([
  ['that refers to nobody', 'create table new_one (words text)'],
  [
    'that refers to a conversation and does not go with it',
    'create table new_one (conversation_id uuid references conversation (id))',
  ],
])('a new table %s would be noticed', async (_what, sql) => {
  await dataSource.query(sql);
  expect(await forgotten()).toEqual(['new_one']);
  await dataSource.query('drop table new_one');
});

test('each foreign key to an erased row has an index', async () => {
  const erased = erasedWith(await references());
  const unindexed = await dataSource.query<{ name: string; parent: string; column: string }[]>(
    `select c.conrelid::regclass::text as name, c.confrelid::regclass::text as parent,
       a.attname as column
     from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'f' and not exists (
       select 1 from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]
         and (i.indpred is null
           or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))`,
  );
  expect(unindexed.filter(({ parent }) => erased.has(parent))).toEqual([]);
});
