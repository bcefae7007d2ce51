import { AppModule } from '../../src/app.module';
import { EventBus } from '../../src/common/events';
import { Drain } from '../../src/common/lifecycle';
import { startTestApp } from '../support/app';

test('every room registers its own steps of a shutdown, each in a phase that gives its place', async () => {
  const register = jest.spyOn(Drain.prototype, 'register');
  const app = await startTestApp({
    telegram: true,
    notion: true,
    isWorking: false,
    env: { SHUTDOWN_PENDING: 'flush' },
  });
  const steps = register.mock.calls.map(([phase, name]) => `${phase}: ${name}`);
  await app.close();
  register.mockRestore();

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
  const nobodyHandles = new EventBus();

  expect(() => {
    new AppModule(nobodyHandles).onApplicationBootstrap();
  }).toThrow('no handler is registered for');
});
