import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  type JobFlow,
} from '../../jobs';

/** One kind of work of the queue `notion-event`. */
export interface EventWork {
  /** What its keys begin with, up to the colon: `page` of `page:<id>`. */
  readonly prefix: string;
  /** As JobHandlerClass.run. */
  run(claim: Claim, flow: JobFlow): Promise<void>;
  /** As JobHandlerClass.onDead. */
  onDead(tx: Tx, task: DeadJob): Promise<void>;
}

const CONCURRENCY = 4;
const MAX_FAILURES = 5;

/** The queue `notion-event`: small pieces of work with Notion, told apart by their keys. */
@Injectable()
@JobHandler('notion-event', { concurrency: CONCURRENCY, maxFailures: MAX_FAILURES })
export class NotionEventWorker implements JobHandlerClass {
  private readonly works = new Map<string, EventWork>();

  /** Once for each prefix, at boot. */
  register(work: EventWork): void {
    if (this.works.has(work.prefix)) throw new Error(`"${work.prefix}" has its work already`);
    this.works.set(work.prefix, work);
  }

  run(claim: Claim, flow: JobFlow): Promise<void> {
    return this.workOf(claim).run(claim, flow);
  }

  onDead(tx: Tx, task: DeadJob): Promise<void> {
    return this.workOf(task).onDead(tx, task);
  }

  private workOf({ key }: Claim): EventWork {
    const [prefix = ''] = key.split(':', 1);
    const work = this.works.get(prefix);
    if (work === undefined) throw new Error(`nobody does the work of "${prefix}"`);
    return work;
  }
}
