import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a reply's readers on other replicas read while it is written: the text so far, in pieces of
 * a second or so. Gone once the turn is closed, whose text is the whole.
 */
export class TurnSegments1764000000002 implements MigrationInterface {
  readonly name = 'TurnSegments1764000000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table turn_segment (
        turn_id bigint not null references turn on delete cascade,
        epoch int not null,
        start_at int not null,
        text text not null,
        primary key (turn_id, epoch, start_at)
      ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)`);
    // The claim that opened the epoch: while it holds, somebody writes that epoch.
    await queryRunner.query(`alter table turn add column claim_no int not null default 0`);
    // The chat client's request that brought the message: the newest waits for the reply.
    await queryRunner.query(
      `alter table message add column chat_id text, add column request_id uuid`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
