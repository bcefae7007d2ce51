import type { MigrationInterface, QueryRunner } from 'typeorm';

/** To whom the pages of boards belong, as last read. */
export class NotionPages1764000000012 implements MigrationInterface {
  readonly name = 'NotionPages1764000000012';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table notion_page (
        page_id uuid primary key,
        assignee_ids uuid[] not null,
        seen_at timestamptz not null
      )`);
    await queryRunner.query(
      `create index notion_page_assignees on notion_page using gin (assignee_ids)`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
