import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every replica remembers for some seconds which sessions it has looked up. Whatever deletes a
 * session, an erasure's cascade included, tells them with its commit.
 */
export class SessionNotices1764000000032 implements MigrationInterface {
  readonly name = 'SessionNotices1764000000032';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TELL);
    await queryRunner.query(`
      create trigger web_session_ended after delete on web_session
      referencing old table as ended for each statement execute function tell_ended_sessions()`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/** `SessionLookup` reads it. Versions that do not know the notice ignore it. */
const TELL = `
create function tell_ended_sessions() returns trigger language plpgsql as $$
begin
  perform pg_notify('colloquy_notices',
    json_build_array(json_build_array('session', e.conversation_id))::text)
  from (select distinct conversation_id from ended) e;
  return null;
end $$`;
