/**
 * Loaded into each replica of a storm before the application, by `node -r`. The storm's messages over the
 * IPC channel move the process's wall clock, and make it kill or stop itself at a named commit. Nothing of it is in
 * the application: it replaces `UnitOfWork.commit` and `Date` from outside.
 *
 * With STORM_BUG it also builds a deliberate bug into the application (bugs.cjs), to prove that the storm
 * finds it.
 */
const path = require('node:path');

const root = path.resolve(__dirname, '../..');
/** One commit label, and when it kills the process; null: none. */
let killAt = null;
/** The label of the commit before which the process stops itself; null: none. */
let freezeAt = null;
let clockOffsetMs = 0;

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + clockOffsetMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + clockOffsetMs;
  }
};

require('reflect-metadata');
// The job whose flow commits with a unit of work.
const jobOf = new WeakMap();
const { HeldJobs } = require(path.join(root, 'dist/jobs/held-jobs'));
const { add } = HeldJobs.prototype;
HeldJobs.prototype.add = function (held) {
  jobOf.set(held.uow, held.claim.jobId);
  return add.call(this, held);
};
const { UnitOfWork } = require(path.join(root, 'dist/common/uow'));
for (const method of ['commit', 'commitOne']) {
  const original = UnitOfWork.prototype[method];
  UnitOfWork.prototype[method] = async function (label, work) {
    if (freezeAt === label) {
      freezeAt = null;
      await frozen(jobOf.get(this) ?? null);
    }
    if (killAt?.commit !== label) return original.call(this, label, work);
    if (killAt.when === 'before') {
      // The work is done and not committed: all that it wrote is lost.
      return original.call(this, label, async (tx) => {
        const result = await work(tx);
        process.kill(process.pid, 'SIGKILL');
        return result;
      });
    }
    const result = await original.call(this, label, work);
    process.kill(process.pid, 'SIGKILL');
    return result;
  };
}

/** Stops the process, and returns when it goes on. The storm counts the time from the message. */
function frozen(jobId) {
  return new Promise((resolve) => {
    process.send?.({ isFrozen: true, jobId }, () => {
      process.kill(process.pid, 'SIGSTOP');
      resolve();
    });
  });
}

// The name under which the process claims jobs, for the watch on their takeover.
const { ReplicaId } = require(path.join(root, 'dist/jobs/replica-id'));
Object.defineProperty(ReplicaId.prototype, 'value', {
  set(worker) {
    Object.defineProperty(this, 'value', { value: worker });
    process.send?.({ worker });
  },
});

process.on('message', (message) => {
  if (message.kind === 'kill_at_commit') killAt = message;
  if (message.kind === 'freeze_at_commit') freezeAt = message.commit;
  if (message.kind === 'jump_clock') clockOffsetMs = message.byMs;
});
// A storm that was killed leaves no replica behind.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel?.unref();

if (process.env.STORM_BUG !== undefined) {
  const { BUGS } = require('./bugs.cjs');
  const build = BUGS[process.env.STORM_BUG];
  if (build === undefined)
    throw new Error(`STORM_BUG=${process.env.STORM_BUG}: there is no such bug`);
  build((file) => require(path.join(root, 'dist', file)));
}
