/**
 * Twelve deliberate bugs, each a mistake that a durable system is easily built with. `npm run storm -- --bug
 * NAME` builds one into the replicas to prove that the storm finds it. They replace methods of the built
 * application from outside, so no build of the application contains any of them.
 *
 * Each is given `load`, which returns the exports of a file in dist/.
 */

const { setTimeout: pause } = require('node:timers/promises');

/** Replaces a method of a class; `make` is given the original and returns the new one. */
function replace(Class, method, make) {
  const { prototype } = Class;
  if (typeof prototype[method] !== 'function') {
    throw new Error(`${Class.name}.${method} is gone: the bug has to be adapted`);
  }
  prototype[method] = make(prototype[method]);
}

/** The rules (docs/how-we-prove-it.md) that each bug breaks. A storm finds a bug when one of them is violated. */
exports.BROKEN_RULES = {
  acknowledge_before_commit: ['I1'],
  no_fencing: ['I1', 'I2', 'I3', 'I4', 'I5', 'I7', 'delivery', 'page'],
  clean_end: ['page'],
  notify_only: ['page'],
  retry_on_timeout: ['delivery'],
  dedupe_in_memory: ['I1'],
  resume_from_tail: ['page'],
  debounce_in_memory: ['I1', 'quiet'],
  breaker_eats_row: ['I1', 'quiet'],
  limiter_by_local_clock: ['I8'],
  two_owners: ['I2', 'I3', 'I4', 'I7', 'delivery'],
  erasure_forgets_a_table: ['erasure'],
};

/** Bugs that show only at a moment which not every storm has. CI, which runs two bugs once, leaves them out. */
exports.NOT_IN_EVERY_STORM = ['clean_end', 'no_fencing', 'two_owners'];

/**
 * What the storm of a bug aims at: a process that ends while a reply is written, an owner that stores its reply or
 * the outcome of its send after its successor.
 */
exports.AIMS = { clean_end: 'sigterm', no_fencing: 'late_reply', two_owners: 'late_outcome' };

/** Bugs that only the check after the storm finds. */
exports.SEEN_AT_THE_END = ['notify_only', 'resume_from_tail', 'erasure_forgets_a_table'];

exports.BUGS = {
  /** A message is acknowledged while its commit still runs, and also when it fails. */
  acknowledge_before_commit(load) {
    const { UnitOfWork } = load('common/uow');
    replace(
      UnitOfWork,
      'commitOne',
      (commitOne) =>
        function (label, work) {
          const stored = commitOne.call(this, label, work);
          if (label !== 'buffer.append') return stored;
          stored.catch(() => undefined);
          return Promise.resolve({ messageId: crypto.randomUUID(), seq: 1, dueAt: new Date() });
        },
    );
    replace(
      UnitOfWork,
      'commit',
      (commit) =>
        function (label, work) {
          const stored = commit.call(this, label, work);
          if (label !== 'telegram.take') return stored;
          stored.catch(() => undefined);
          return Promise.resolve('handled');
        },
    );
  },

  /**
   * A job's commits do not check that the worker still has the job: what a worker stores late replaces what
   * its successor has stored.
   */
  no_fencing(load) {
    const { Jobs } = load('jobs/jobs.service');
    replace(Jobs, 'fence', () => async () => undefined);
    replace(Jobs, 'fenceAll', () => async (_tx, claims) => new Set(claims));
    replace(Jobs, 'requireHeld', () => () => undefined);
    const { HeldJob } = load('jobs/held-jobs');
    replace(HeldJob, 'lose', () => () => undefined);
    replace(HeldJob, 'assertLease', () => () => undefined);
    Object.defineProperty(HeldJob.prototype, 'holdsLease', { get: () => true });
    const { MessageRepository } = load('interview/transcript/message.repository');
    replace(
      MessageRepository,
      'add',
      (add) =>
        async function (tx, message) {
          const added = await add.call(this, tx, message);
          if (added !== undefined || message.role !== 'assistant') return added;
          await tx.query('update message set text = $2 where id = $1', [message.id, message.text]);
          return this.find(tx, message.id);
        },
    );
    const { DeliveryRepository } = load('delivery/delivery.repository');
    replace(
      DeliveryRepository,
      'insert',
      (insert) =>
        async function (tx, of, ...rest) {
          await tx.query('delete from delivery where message_id = $1', [of.messageId]);
          return insert.call(this, tx, of, ...rest);
        },
    );
  },

  /** Streams that a replica cuts off when it stops end as if they were complete. */
  clean_end(load) {
    const { SseResponse } = load('channels/web/events/sse-response');
    replace(SseResponse, 'destroy', () => SseResponse.prototype.end);
  },

  /** Readers are woken by signals only, and never read again without one. */
  notify_only(load) {
    const { WakeSignal } = load('channels/web/events/sse-response');
    replace(WakeSignal, 'tick', () => () => undefined);
    const { ReplyMirrors } = load('streams/reply-mirrors');
    replace(ReplyMirrors, 'onConnected', () => () => undefined);
    replace(ReplyMirrors, 'wakeIdleReaders', () => async () => undefined);
  },

  /** A message that may have arrived is sent three more times. */
  retry_on_timeout(load) {
    const { PartCommits } = load('delivery/part-commits');
    replace(
      PartCommits,
      'apply',
      (apply) =>
        function (tx, part, next, options) {
          const { failures, unknowns, serverErrors } = part;
          if (next.kind !== 'unconfirmed' || unknowns >= 3) {
            return apply.call(this, tx, part, next, options);
          }
          const again = {
            kind: 'again',
            failures,
            serverErrors,
            unknowns: unknowns + 1,
            delayMs: 200,
          };
          return apply.call(this, tx, part, again, options);
        },
    );
  },

  /** Repeated updates and messages are recognised only by the process that has stored them. */
  dedupe_in_memory(load) {
    const known = new Map();
    let last = Date.now() % 1_000_000;
    const numberOf = (updateId) => {
      if (!known.has(updateId)) known.set(updateId, (last += 1) * 1000 + (process.pid % 1000));
      return known.get(updateId);
    };
    const { UpdateRepository } = load('channels/telegram/intake/update.repository');
    const renumbered = (of) => ({
      ...of,
      update: { ...of.update, update_id: numberOf(of.update.update_id) },
    });
    for (const method of ['take', 'add']) {
      replace(
        UpdateRepository,
        method,
        (store) =>
          function (tx, botId, of) {
            return store.call(this, tx, botId, renumbered(of));
          },
      );
    }
    replace(
      UpdateRepository,
      'addWaiting',
      (store) =>
        function (tx, botId, updates) {
          return store.call(this, tx, botId, updates.map(renumbered));
        },
    );
    const { BufferRepository } = load('buffer/buffer.repository');
    replace(
      BufferRepository,
      'append',
      (append) =>
        function (tx, message, ...rest) {
          const externalId = `${message.externalId}#${process.pid}`;
          return append.call(this, tx, { ...message, externalId }, ...rest);
        },
    );
  },

  /** A reader that comes back gets what comes from now on. */
  resume_from_tail(load) {
    const { EventReader } = load('channels/web/events/event-reader');
    replace(EventReader, 'resume', () => async () => undefined);
  },

  /** The quiet time of an answer is a timer of the process that got its last message. */
  debounce_in_memory(load) {
    const FAR_MS = 1_000_000_000;
    const { BufferRepository } = load('buffer/buffer.repository');
    replace(
      BufferRepository,
      'append',
      (append) =>
        async function (tx, message, rules, by) {
          const database = tx.queryRunner.connection;
          const late = { ...message, windowMs: FAR_MS };
          const row = await append.call(this, tx, late, { ...rules, maxWaitMs: FAR_MS }, by);
          setTimeout(() => {
            database
              .query(
                `update job set due_at = clock_timestamp()
             where queue = 'flush' and key = $1 and state = 'open'`,
                [message.conversationId],
              )
              .catch(() => undefined);
          }, message.windowMs);
          return row;
        },
    );
  },

  /** A job whose peer is away is done instead of due later. */
  breaker_eats_row(load) {
    const { JobEndings } = load('jobs/job-endings');
    replace(
      JobEndings,
      'giveBack',
      () =>
        function (claim) {
          const text = `update job set state = 'done', due_at = null, ended_at = clock_timestamp()
        where id = $1 and claim_no = $2 and state = 'running' returning id`;
          return this.end('job.give_back', claim, async (tx) => {
            return (await tx.query(text, [claim.jobId, claim.claimNo])).length > 0;
          });
        },
    );
  },

  /** Each process limits its own calls to Notion, by its own clock. */
  limiter_by_local_clock(load) {
    const { NotionLimiter } = load('notion-sync/api/limiter/notion-limiter');
    let nextMs = 0;
    replace(NotionLimiter, 'take', () => async (_uow, holder) => {
      const startMs = Math.max(performance.now(), nextMs);
      nextMs = startMs + 1000 / 3;
      holder.onBooked?.();
      await pause(startMs - performance.now(), undefined, { signal: holder.signal });
      return { grantedAt: new Date().toISOString() };
    });
  },

  /** A takeover leaves the earlier owner's claim valid. */
  two_owners(load) {
    const { ClaimRepository } = load('jobs/claim.repository');
    replace(
      ClaimRepository,
      'takeOver',
      (takeOver) =>
        function (queue, limit) {
          const repository = Object.create(this);
          repository.run = ({ text, values }) => {
            const same = text.replace('claim_no = t.claim_no + 1', 'claim_no = t.claim_no');
            if (same === text)
              throw new Error('the takeover has changed: the bug has to be adapted');
            return this.run({ text: same, values });
          };
          return takeOver.call(repository, queue, limit);
        },
    );
  },

  /** An erasure leaves the jobs of the erased conversations. */
  erasure_forgets_a_table(load) {
    const { Jobs } = load('jobs/jobs.service');
    replace(Jobs, 'erase', () => async () => undefined);
  },
};
