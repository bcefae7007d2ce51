import type { PersonalDataExport } from '../../../src/privacy';
import type { TestApp } from '../../support/app';
import type { Person } from './telegram-person';

/** For tests of /mydata and /forget: finds the words of a person in the file and in all tables. */
export function storedWords(app: () => TestApp) {
  /** Words that occur nowhere else. */
  let count = 0;
  function words(): string {
    count += 1;
    return `unheard-of-${String(count)}-words`;
  }

  /** The rows of all tables that contain one of these words. */
  async function rowsWith(needles: readonly string[]): Promise<string[]> {
    const tables = await app().sql<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await app().sql<{ row: string }>(`select t::text as row from ${name} t`);
      const hits = rows.filter(({ row }) => needles.some((needle) => row.includes(needle)));
      found.push(...hits.map(({ row }) => `${name}: ${row}`));
    }
    return found;
  }

  function sentFile(person: Person): PersonalDataExport {
    const { document } = person.chat.messages.findLast(({ fromBot }) => fromBot)?.message ?? {};
    const file = app().telegram.file(document?.file_id ?? '');
    if (file === null) throw new Error('no file was sent');
    return JSON.parse(file.bytes.toString()) as PersonalDataExport;
  }

  /** Stores a dead update and an unsent reply that contain this text. */
  async function leaveWaiting({ id }: Person, said: string): Promise<void> {
    await app().sql(
      `insert into telegram_update (bot_id, update_id, chat_id, account_id, state, payload, received_at)
       values (1, $1, $1, $1, 'dead', jsonb_build_object('text', $2::text), now())`,
      [id, said],
    );
    await app().sql(
      `insert into telegram_bot_reply (chat_id, account_id, call, created_at)
       values ($1, $1, jsonb_build_object('text', $2::text), now())`,
      [id, said],
    );
  }

  return { words, rowsWith, sentFile, leaveWaiting };
}
