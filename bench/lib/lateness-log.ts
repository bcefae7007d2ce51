import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { JobRegistry } from '../../src/jobs';

/** Records how late answers are claimed (claim − due, in ms); each call returns those since the last one. */
export function logLateness(app: NestFastifyApplication): () => number[] {
  let late: number[] = [];
  const { handler } = app.get(JobRegistry, { strict: false }).get('flush');
  const run = handler.run.bind(handler);
  handler.run = (claim, flow) => {
    late.push(Date.now() - claim.dueAt.getTime());
    return run(claim, flow);
  };
  return () => {
    const taken = late;
    late = [];
    return taken;
  };
}
