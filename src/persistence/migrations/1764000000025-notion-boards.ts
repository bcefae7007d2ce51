import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pages that wait to be read, and by which ids Notion names the properties of the boards. */
export class NotionBoards1764000000025 implements MigrationInterface {
  readonly name = 'NotionBoards1764000000025';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statements of [READS, PROPERTIES]) await queryRunner.query(statements);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/**
 * author: who changed the page, empty where nobody knows; turn: in which round it is read (each
 * author has one page in a round); asks: how often it was asked for since it was last read.
 * Until now each page was a task of its own.
 */
const READS = `
create table notion_read (
  page_id uuid primary key,
  author text not null,
  turn bigint not null,
  asked_at timestamptz not null,
  asks int not null default 1,
  due_at timestamptz,
  tries int not null default 0,
  failures int not null default 0
) with (fillfactor = 80);
create index notion_read_turn on notion_read (turn, asked_at);
create index notion_read_author on notion_read (author, turn);
with moved as (
  delete from task
  where lane = 'notion-event' and key like 'page:%' and state in ('open', 'running', 'retry')
  returning substr(key, 6) as page_id, first_at)
insert into notion_read (page_id, author, turn, asked_at)
select page_id::uuid, '', row_number() over (order by min(first_at)), min(first_at)
from moved group by page_id;
insert into task (lane, key, due_at, first_at)
select 'notion-event', 'read:next', now(), now() where exists (select from notion_read);
`;

/** One row, or none while the ids are not known. ids: a map from names to ids. */
const PROPERTIES = `
create table notion_property (
  id boolean primary key default true check (id),
  ids jsonb not null,
  learned_at timestamptz not null
);
`;
