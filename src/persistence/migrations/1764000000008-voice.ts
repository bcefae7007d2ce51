import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Candidates' voice messages: their audio, and what became of it (src/interview/voice/voice.ts). */
export class Voice1764000000008 implements MigrationInterface {
  readonly name = 'Voice1764000000008';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table voice (
        message_id uuid primary key references message on delete cascade,
        state text not null check (state in ('announced', 'kept', 'heard', 'unheard')),
        mime_type text not null,
        file_name text,
        duration_s real,
        size_bytes int not null,
        source text,
        bytes bytea,
        transcript text,
        problem text,
        settled_at timestamptz
      )`);
    // Audio is compressed already: PostgreSQL should not try again.
    await queryRunner.query('alter table voice alter column bytes set storage external');
    await queryRunner.query(
      `create index voice_waiting on voice (message_id) where state in ('announced', 'kept')`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
