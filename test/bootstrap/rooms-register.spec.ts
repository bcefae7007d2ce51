import { AppModule } from '../../src/app.module';
import { DomainEvents } from '../../src/common/events';
import { Drain } from '../../src/common/lifecycle';
import { JobRegistry, type QueueName } from '../../src/jobs';
import { startTestApp } from '../support/app';

/** Every declared queue: one that is missing here does not compile. */
const QUEUES: Record<Exclude<QueueName, 'bench'>, true> = {
  deliver: true,
  'fetch-file': true,
  flush: true,
  intake: true,
  invite: true,
  'long-answer': true,
  'notion-read': true,
  'notion-removal': true,
  'notion-review': true,
  'notion-sync': true,
  'notion-scan': true,
  remind: true,
  'remind-now': true,
  score: true,
  transcribe: true,
};

test('every room registers its queues, and its steps of a shutdown in a phase that gives their place', async () => {
  const register = jest.spyOn(Drain.prototype, 'register');
  const app = await startTestApp({
    telegram: true,
    notion: true,
    model: true,
    isWorking: false,
    env: { SCORING: 'true', SHUTDOWN_PENDING: 'flush' },
  });
  const steps = register.mock.calls.map(([phase, name]) => `${phase}: ${name}`);
  const queues = app
    .get(JobRegistry)
    .all()
    .map(({ queue }) => queue);
  await app.close();
  register.mockRestore();

  expect(queues.toSorted()).toEqual(Object.keys(QUEUES).toSorted());
  expect(steps.toSorted()).toEqual([
    'buffers: pending answers',
    'claims: jobs',
    'connections: database',
    'deliveries: deliveries',
    'flows: jobs',
    'handBack: jobs',
    'intake: attention alerts',
    'intake: knowledge',
    'intake: notion',
    'intake: telegram',
    'requests: requests',
    'streams: event streams',
    'streams: telegram',
  ]);
});

test('the application starts only when every event that needs a handler has one', () => {
  const nobodyHandles = new DomainEvents();

  expect(() => {
    new AppModule(nobodyHandles).onApplicationBootstrap();
  }).toThrow('no handler is registered for');
});
