import type { Claim, JobFlow } from '../../src/jobs';
import { type JobRig, jobHandler } from '../support/jobs';
import { type Gate, gate } from '../../tools/http-fake/gate';

/** More fake time than any test lets pass. */
const ENOUGH_MS = 3_600_000;

/** A flow that waits until the test lets it continue. */
export interface PausedFlow {
  readonly claim: Claim;
  readonly flow: JobFlow;
  /** Lets the flow do `next` and end; an error of `next` is the error of the run. */
  readonly proceed: (next: () => Promise<void>) => Promise<void>;
}

/** Claims the one due job of the queue; its flow waits. */
export async function pausedFlow(rig: JobRig): Promise<PausedFlow> {
  const started: Gate<{ claim: Claim; flow: JobFlow }> = gate();
  const next: Gate<() => Promise<void>> = gate();
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      run: async (claim, flow) => {
        started.open({ claim, flow });
        await (
          await next.opened
        )();
      },
    }),
  );
  await rig.worker.tick();
  const { claim, flow } = await started.opened;
  return {
    claim,
    flow,
    proceed: async (work) => {
      next.open(work);
      await rig.worker.waitUntilSettled(ENOUGH_MS);
    },
  };
}
