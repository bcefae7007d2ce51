import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What Notion's webhooks have told, each once, and the token that they are signed with. */
export class NotionIntake1764000000013 implements MigrationInterface {
  readonly name = 'NotionIntake1764000000013';

  async up(queryRunner: QueryRunner): Promise<void> {
    // page_id is null for events of a data source.
    await queryRunner.query(`
      create table notion_event (
        event_key text primary key,
        page_id uuid,
        happened_at timestamptz,
        received_at timestamptz not null
      )`);
    await queryRunner.query(`create index notion_event_age on notion_event (received_at)`);
    await queryRunner.query(`
      create index notion_event_page on notion_event (page_id, happened_at)
      where page_id is not null`);
    // One row: until when a token is taken from whoever sends one, and the one that was.
    await queryRunner.query(`
      create table notion_enrolment (
        id boolean primary key default true check (id),
        open_until timestamptz,
        token text,
        enrolled_at timestamptz,
        check ((token is null) = (enrolled_at is null))
      )`);
    await queryRunner.query(`insert into notion_enrolment default values`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
