import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';
import { type Tx, UnitOfWorkFactory } from '../common/uow';
import {
  type Claim,
  type DeadJob,
  type JobHandlerClass,
  LeaseLostError,
  PeerUnavailableError,
  type JobFlow,
} from '../jobs';
import { BufferMetrics, type FlushOutcome } from './buffer.metrics';
import { FlushAdmission } from './flush';
import { deadFlushOf, flushIdOf } from './flush-handler';
import { FlushPort } from './flush-port';

/** Own failures of one answer before a person is asked. */
const MAX_FAILURES = 5;

/** The queue `flush`: hands a due buffer to the FlushHandler. Writes nothing but a put back row. */
@Injectable()
export class FlushWorker implements JobHandlerClass {
  readonly queue = 'flush';
  readonly maxFailures = MAX_FAILURES;
  readonly concurrency: number;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly admission: FlushAdmission,
    private readonly port: FlushPort,
    private readonly metrics: BufferMetrics,
  ) {
    this.concurrency = settings.jobs.flushConcurrency;
  }

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    await this.admit(claim);
    const flush = {
      claim,
      flushId: flushIdOf(claim.jobId),
      bufferId: claim.jobId,
      conversationId: claim.key,
    };
    try {
      await this.port.handler.flush(flush, flow);
    } catch (error) {
      this.metrics.ended(outcomeOf(error));
      this.metrics.failed('flush', error);
      throw error;
    }
    this.metrics.ended('success');
  }

  onDead(tx: Tx, job: DeadJob): Promise<void> {
    return this.port.handler.onDead(tx, deadFlushOf({ ...job, lastError: job.error }));
  }

  private async admit(claim: Claim): Promise<void> {
    const admitted = await this.units.run('flush', (uow) => this.admission.admit(uow, claim));
    if (admitted.kind === 'put_back') {
      this.metrics.ended('put_back');
      // The row is nobody's now: the worker must not write to it, and counts no failure.
      throw LeaseLostError.of(claim);
    }
    if (admitted.isFirst) this.metrics.flushed(admitted);
  }
}

function outcomeOf(error: unknown): FlushOutcome {
  if (error instanceof PeerUnavailableError) return 'peer_unavailable';
  return error instanceof LeaseLostError ? 'lost' : 'failure';
}
