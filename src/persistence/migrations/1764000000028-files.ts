import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that candidates send: their bytes, and what became of them (src/interview/files/file.ts). */
export class Files1764000000028 implements MigrationInterface {
  readonly name = 'Files1764000000028';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table file (
        message_id uuid primary key references message on delete cascade,
        state text not null check (state in ('announced', 'kept', 'refused')),
        name text not null,
        mime_type text,
        size_bytes int not null,
        source text,
        bytes bytea,
        problem text,
        settled_at timestamptz
      )`);
    // Compressed already. Uncompressed storage also lets a part be read without the whole.
    await queryRunner.query('alter table file alter column bytes set storage external');
    await queryRunner.query(`
      alter table message drop constraint message_content_type_check,
        add constraint message_content_type_check
          check (content_type in ('TEXT', 'VOICE', 'FILE'))`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
