/**
 * One worker process of the chaos test: handles buffered events until it is killed. Its arguments
 * are the database URL and a seed. It sends `ready` over IPC, drains on SIGTERM, and ends with its
 * parent.
 */
import { SystemClock } from '../../../src/common/clock';
import { Metrics } from '../../../src/common/metrics';
import { UnitOfWorkMetrics, UnitOfWorkFactory } from '../../../src/common/uow';
import { ControlConnection, createDataSource } from '../../../src/persistence';
import {
  type Claim,
  CompletionBatcher,
  type JobFlow,
  PeerUnavailableError,
} from '../../../src/jobs';
import { settingsForTests } from '../../support/settings';
import { type JobRig, inCommit, jobHandler, jobRig } from '../../support/jobs';
import { seededRandom } from './seeded-random';

async function main(url: string, seed: number): Promise<void> {
  const clock = new SystemClock();
  const dataSource = createDataSource({ url, poolSize: 3 });
  await dataSource.initialize();
  const units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
  const control = new ControlConnection(url, clock);
  const settings = settingsForTests({ JOB_LEASE: '0.9', JOB_POLL: '0.1' });
  const rig = jobRig({ units, control, clock }, { settings });
  const answer = answering({ rig, units, clock, random: seededRandom(seed) });
  rig.registry.register(
    jobHandler({ queue: 'flush', concurrency: 4, maxFailures: 1000, run: answer }),
  );
  rig.registry.register(sharing(rig, units));
  rig.worker.start();
  process.once('SIGTERM', () => {
    void drain();
  });
  process.send?.('ready');

  async function drain(): Promise<void> {
    await rig.worker.stopClaims();
    await rig.worker.handBack();
    await rig.worker.stop();
    await control.close();
    await dataSource.destroy();
    process.exit(0);
  }
}

/** Jobs that share their commits with others; some of them cannot write their effect at first. */
function sharing(rig: JobRig, units: UnitOfWorkFactory) {
  const ends = new CompletionBatcher<Claim>(units, rig.jobs, 'test', async (tx, claims) => {
    await tx.query(
      `insert into shared_effect (job_id, claim_no)
       select id, case when id % 50 = 0 and no = 1 then null else no end
       from unnest($1::bigint[], $2::int[]) as c (id, no)`,
      [claims.map(({ jobId }) => jobId), claims.map(({ claimNo }) => claimNo)],
    );
  });
  return jobHandler({
    queue: 'test-shared',
    concurrency: 100,
    maxFailures: 1000,
    sharesCommits: true,
    run: (claim) => ends.complete(claim, claim),
  });
}

/** Open, wait for a peer, close: a kill or a freeze may happen in each of the three steps. */
function answering(deps: {
  rig: JobRig;
  units: UnitOfWorkFactory;
  clock: SystemClock;
  random: () => number;
}) {
  const { rig, units, clock, random } = deps;
  return async (claim: Claim, flow: JobFlow): Promise<void> => {
    const ref = [claim.jobId, claim.claimNo, claim.key];
    await inCommit(units, async (tx) => {
      await rig.jobs.fence(tx, claim);
      await tx.query(
        `insert into step (job_id, claim_no, key, kind) values ($1, $2, $3, 'open')`,
        ref,
      );
    });
    for (let delta = 0; delta < 3; delta += 1) {
      await clock.sleep(random() * 40, flow.signal);
      flow.assertLease();
    }
    if (random() < 0.03) throw new Error('a failure of its own');
    if (random() < 0.003) throw new PeerUnavailableError('the peer is away');
    await inCommit(units, async (tx) => {
      await rig.jobs.fence(tx, claim);
      await tx.query(
        `insert into step (job_id, claim_no, key, kind) values ($1, $2, $3, 'close')`,
        ref,
      );
      await tx.query(
        `insert into effect (event_id, job_id, claim_no)
         select id, job_id, $2 from event where job_id = $1`,
        [claim.jobId, claim.claimNo],
      );
      await clock.sleep(random() * 5);
      await rig.jobs.complete(tx, claim);
    });
  };
}

process.once('disconnect', () => {
  process.exit(1);
});
const [url = '', seed = '0'] = process.argv.slice(2);
void main(url, Number(seed));
