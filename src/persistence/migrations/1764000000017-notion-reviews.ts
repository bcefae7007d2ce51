import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The page that stands for a finished interview on a board. No foreign key leads to the
 * conversation: the row outlives it until the page is in Notion's trash.
 */
export class NotionReviews1764000000017 implements MigrationInterface {
  readonly name = 'NotionReviews1764000000017';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table notion_review (
        id uuid primary key,
        conversation_id uuid unique,
        state text not null default 'wanted'
          check (state in ('wanted', 'creating', 'shown', 'removing')),
        owner_id uuid,
        page_id uuid unique,
        begun_at timestamptz,
        link_property text,
        title_digest text,
        shown_digest text,
        looks int not null default 0,
        check (state <> 'shown' or page_id is not null),
        check (state = 'removing' or conversation_id is not null)
      )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
