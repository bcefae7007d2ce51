import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { sqlStateOf } from '../common/uow';
import { CLAIM_CONNECTION, type ClaimConnection } from './claim-connection';
import * as sql from './claim-sql';
import { TakeoverGuard } from './contact';
import { ReplicaId } from './replica-id';
import type { Statement } from './statement';
import type { LaneName } from './task';

const UNIQUE_VIOLATION = '23505';

/** Rows as the claim connection gives and renews them. It decides nothing and starts nothing. */
@Injectable()
export class ClaimRepository {
  constructor(
    @Inject(CLAIM_CONNECTION) private readonly connection: ClaimConnection,
    private readonly contact: TakeoverGuard,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly replica: ReplicaId,
  ) {}

  look(lanes: readonly LaneName[]): Promise<sql.QueueView[]> {
    return this.run(sql.lookAt({ lanes, now: this.clock.databaseNow() }));
  }

  async takeOver(lane: LaneName, limit: number): Promise<sql.ClaimedRow[]> {
    const handedBackOnly = !this.contact.mayTakeOver();
    return byDueTime(
      await this.run(sql.takeOver({ ...this.options(lane, limit), handedBackOnly })),
    );
  }

  /**
   * Two workers, or a replay, can meet in one key or in the single lane: the unique index then
   * refuses the whole statement, so each row is tried alone and only the one that met fails.
   * `beforeEach` runs before each of those.
   */
  async claimReady(
    lane: LaneName,
    limit: number,
    beforeEach: () => Promise<void> = () => Promise.resolve(),
  ): Promise<sql.ClaimedRow[]> {
    const options = this.options(lane, limit);
    try {
      return byDueTime(await this.run(sql.claimReady(options)));
    } catch (error) {
      if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
      return this.claimRowByRow(options, beforeEach);
    }
  }

  beat(claims: readonly sql.ClaimRef[]): Promise<sql.HeartbeatRow[]> {
    const { leaseMs } = this.settings.tasks;
    return this.run(sql.beat({ claims, leaseMs, now: this.clock.databaseNow() }));
  }

  /** How many were handed back; the others are somebody else's already. */
  async handBack(claims: readonly sql.ClaimRef[]): Promise<number> {
    const rows = await this.run(sql.handBack({ claims, now: this.clock.databaseNow() }));
    return rows.length;
  }

  private async claimRowByRow(
    options: sql.ClaimOptions,
    beforeEach: () => Promise<void>,
  ): Promise<sql.ClaimedRow[]> {
    const claimed: sql.ClaimedRow[] = [];
    for (const { id: taskId } of await this.run<{ id: string }>(sql.readyIds(options))) {
      await beforeEach();
      try {
        claimed.push(
          ...(await this.run<sql.ClaimedRow>(sql.claimReadyOne({ ...options, taskId }))),
        );
      } catch (error) {
        if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
      }
    }
    return claimed;
  }

  private options(lane: LaneName, limit: number): sql.ClaimOptions {
    return {
      lane,
      limit,
      leaseMs: this.settings.tasks.leaseMs,
      worker: this.replica.value,
      now: this.clock.databaseNow(),
    };
  }

  private async run<Row>(statement: Statement): Promise<Row[]> {
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.connection.query<Row>(statement.text, statement.values);
    this.contact.succeeded(sentAtMs);
    return rows;
  }
}

/** UPDATE … RETURNING promises no order. */
function byDueTime(rows: readonly sql.ClaimedRow[]): sql.ClaimedRow[] {
  return [...rows].sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
}
