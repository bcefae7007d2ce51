import { Module } from '@nestjs/common';
import { ControlConnection } from '../persistence';
import { CLAIM_CONNECTION } from './claim-connection';
import { ClaimPass } from './claim-pass';
import { Claims } from './claims';
import { Contact } from './contact';
import { DoneSweep } from './done-sweep';
import { Heartbeat } from './heartbeat';
import { HeldClaims } from './held-claims';
import { LaneBreakers } from './lane-breakers';
import { LaneRegistry } from './lane-registry';
import { ReplicaId } from './replica-id';
import { TaskEndings } from './task-endings';
import { TaskMetrics } from './task-metrics';
import { TaskRunner } from './task-runner';
import { TaskWorker } from './task-worker';
import { Tasks } from './tasks';

const FACE = [Tasks, LaneRegistry, TaskWorker, LaneBreakers, ReplicaId, DoneSweep];

/**
 * Durable tasks. Expects global Clock, Settings, Metrics, UnitsOfWork and ControlConnection. The
 * worker does not start by itself: the composition starts it when every lane is registered.
 */
@Module({
  providers: [
    ...FACE,
    { provide: CLAIM_CONNECTION, useExisting: ControlConnection },
    ClaimPass,
    Claims,
    Contact,
    Heartbeat,
    HeldClaims,
    TaskEndings,
    TaskMetrics,
    TaskRunner,
  ],
  exports: FACE,
})
export class TasksModule {}
