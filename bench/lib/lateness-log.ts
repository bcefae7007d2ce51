import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { JobRegistry } from '../../src/jobs';

/** How late answers were claimed since it was last asked (claim − due), in ms. */
export function logLateness(app: NestFastifyApplication): () => number[] {
  let late: number[] = [];
  const { handler } = app.get(JobRegistry, { strict: false }).get('flush');
  const run = handler.run.bind(handler);
  handler.run = (claim, flow) => {
    late.push(Date.now() - claim.dueAt.getTime());
    return run(claim, flow);
  };
  return () => {
    const told = late;
    late = [];
    return told;
  };
}
