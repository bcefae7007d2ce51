import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The walk in windows, what the sweep has paid for, people who left, and reads that are not needed. */
export class NotionWalk1764000000029 implements MigrationInterface {
  readonly name = 'NotionWalk1764000000029';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statements of [WALK, USERS, READS]) await queryRunner.query(statements);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/**
 * walk_from: the query's window begins with this time of creation, null: with the oldest page;
 * walk_reached: time of creation of the newest page that the walk has seen; walk_is_capped: Notion
 * does not give out all pages of this window; walk_closed: names of the statuses that close a task,
 * null: no walk is under way. A walk that is under way begins anew: its query was another one.
 */
const WALK = `
alter table notion_sweep
  add walk_from timestamptz,
  add walk_reached timestamptz,
  add walk_is_capped boolean not null default false,
  add walk_closed text[];
update notion_sweep set walk_cursor = null;
`;

/**
 * has_left: Notion tells no name any more; swept_calls: what the sweep has paid for a run that has
 * not ended, null: nothing; owed_calls: what such runs have called beyond that, or less.
 */
const USERS = `
alter table notion_user
  add has_left boolean not null default false,
  add swept_calls int,
  add owed_calls int not null default 0;
create index notion_user_owed on notion_user (user_id) where owed_calls <> 0;
`;

/** last_asked_at: when an event named the page last; null: at asked_at. */
const READS = `alter table notion_read add last_asked_at timestamptz;`;
