import type { Stored, StoredLine } from './stored';

/** What is not as it must be whatever has happened; empty if all is. */
export function faultsOf(stored: Stored): string[] {
  return [
    ...faultsOfAnswers(stored),
    ...faultsOfOrder(stored),
    ...faultsOfRest(stored),
    ...faultsOfCounters(stored),
    ...faultsOfItems(stored),
  ];
}

/** Each answer has exactly one reply, or a stored reason for none. */
function faultsOfAnswers({ status, lines, turns, items }: Stored): string[] {
  const answers = new Set(
    lines.filter(({ role }) => role === 'user').map((line) => line.answer_id),
  );
  answers.delete(null);
  const faults = [...answers].flatMap((answerId) => {
    const turn = turns.find((one) => one.answer_id === answerId);
    const replies = lines.filter(({ id }) => id === turn?.reply_message_id).length;
    const isWaited = items.some(({ subject }) => subject === `job:${String(answerId)}`);
    const isLeft = status === 'withdrawn' && replies === 0;
    const why = `answer ${String(answerId)}: ${turn?.state ?? 'no turn'}, ${String(replies)} replies`;
    switch (turn?.state) {
      case undefined:
        return isLeft ? [] : [why];
      case 'delivered':
        if (turn.reply_text === '') return turn.partial && replies === 0 ? [] : [why];
        return replies === 1 ? [] : [why];
      case 'failed':
        return replies === 0 && (turn.error === 'withdrawn' ? isLeft : isWaited) ? [] : [why];
      case 'merged':
        return replies === 0 && turn.merged_into !== null ? [] : [why];
      default:
        return [why];
    }
  });
  const replies = lines.filter((line) => line.role === 'assistant' && line.turn_id !== null);
  const texts = turns.filter(({ reply_text: text }) => text !== null && text !== '');
  return replies.length === texts.length ? faults : [...faults, 'a reply without its turn'];
}

/**
 * Nothing is said before consent, no reply follows a withdrawal and no interviewer a person, and the open question is
 * the last one asked.
 */
function faultsOfOrder(stored: Stored): string[] {
  const { status, lines, turns, state } = stored;
  const faults: string[] = [];
  if (stored.consent_accepted !== true && stored.requests > 0) faults.push('asked before consent');
  const verdictOf = (line: StoredLine) =>
    turns.find(({ id }) => id === line.turn_id)?.verdict ?? null;
  const end = lines.findLast(
    (line) => line.external_id === 'end:withdrawn' || verdictOf(line) === 'leave',
  );
  for (const line of lines) {
    if (line.role !== 'assistant') continue;
    const isAfterEnd = status === 'withdrawn' && line.seq > (end?.seq ?? 0);
    if (stored.consent_accepted !== true && !line.from_person) {
      faults.push(`said before consent: ${line.text}`);
    }
    if (isAfterEnd && !line.partial) faults.push(`said after the withdrawal: ${line.text}`);
    const isInterviewer = verdictOf(line) !== null;
    const person = lines.findLast((one) => one.from_person && one.seq < line.seq);
    const isReturned = lines.some(
      (one) =>
        one.external_id.startsWith('resumed:') &&
        one.seq > (person?.seq ?? 0) &&
        one.seq < line.seq,
    );
    if (isInterviewer && person !== undefined && !isReturned) {
      faults.push(`said over a person: ${line.text}`);
    }
  }
  const asked = lines.findLast((line) => line.role === 'assistant' && line.question_at !== null);
  if (status === 'active' && asked?.question_context !== state.openQuestion) {
    faults.push(
      `${String(state.openQuestion)} is open, and ${String(asked?.question_context)} was asked`,
    );
  }
  return faults;
}

/** Nothing is due, runs or waits that nobody would end, and no job is dead without its item. */
function faultsOfRest({ status, owner, lines, jobs, items }: Stored): string[] {
  const live = jobs.filter((job) => ['open', 'running', 'retry'].includes(job.state));
  const reminders = live.filter(({ queue }) => queue === 'remind').length;
  const isReminded = status === 'active' && owner === 'model';
  const isWaited = (id: number | null) =>
    items.some((item) => item.subject === `job:${String(id)}`);
  return [
    ...live.filter(({ queue }) => queue !== 'remind').map(({ queue }) => `${queue} is not done`),
    ...(reminders === 1 || (reminders === 0 && !isReminded)
      ? []
      : [`${String(reminders)} reminders`]),
    ...jobs
      .filter(({ id, state }) => state === 'dead' && !isWaited(id))
      .map(({ queue }) => `a dead job of ${queue}`),
    ...lines
      .filter(
        (line) => line.role === 'user' && line.cleared_at === null && !isWaited(line.answer_id),
      )
      .map(({ text }) => `still in a buffer: ${text}`),
    ...lines
      .filter((line) => line.content_type === 'VOICE' && line.text === '')
      .map(() => 'a voice waits'),
  ];
}

function faultsOfCounters(stored: Stored): string[] {
  const { lines, turns, state, status } = stored;
  const people = lines.filter(({ from_person: isPerson }) => isPerson).length;
  // An abused interview is a person's before they have written.
  const mostTakeovers = people + (state.abuses > 1 ? 1 : 0);
  const ids = [...state.settled, ...state.notAsked].map(({ id }) => id);
  const isEnded = status !== 'active' && status !== 'new';
  const expected = {
    interview_step: turns.filter((one) => one.state === 'delivered' && !one.partial).length,
    sent_messages: lines.filter(({ role }) => role === 'user').length,
    isNumbered: true,
    isSettledOnce: true,
    hasAll: true,
    lastQuestionAsked: status === 'active' ? state.openQuestion : null,
  };
  const found = {
    interview_step: stored.interview_step,
    sent_messages: stored.sent_messages,
    isNumbered: stored.last_seq >= Math.max(...lines.map(({ seq }) => seq)),
    isSettledOnce: new Set(ids).size === ids.length,
    hasAll: !isEnded || ids.length === 4,
    lastQuestionAsked: status === 'active' ? stored.metadata.lastQuestionAsked : null,
  };
  const wrong = Object.keys(expected).filter(
    (name) => Reflect.get(expected, name) !== Reflect.get(found, name),
  );
  return [
    ...wrong.map((name) => `${name} is ${String(Reflect.get(found, name))}`),
    ...(stored.takeovers <= mostTakeovers ? [] : [`takeovers is ${String(stored.takeovers)}`]),
  ];
}

/** The attention list says what is open, and nothing else. */
function faultsOfItems({ status, owner, objected, state, turns, items }: Stored): string[] {
  const kinds = items.map(({ kind }) => kind);
  const failed = turns.filter(({ state, error }) => state === 'failed' && error !== 'withdrawn');
  const may = {
    handed_over: owner !== 'model' || status === 'expired' || status === 'withdrawn',
    objection: objected,
    dead: failed.length > 0,
    silent: status === 'expired' || status === 'handed_over' || status === 'withdrawn',
    // Whoever wants a person after the end.
    question: status === 'completed',
  };
  const must = {
    handed_over: owner === 'asked' || state.abuses > 1,
    objection: objected,
    dead: failed.length > 0,
    silent: status === 'expired',
  };
  return [
    ...kinds.filter((kind) => Reflect.get(may, kind) !== true).map((kind) => `an item ${kind}`),
    ...Object.entries(must)
      .filter(([kind, isNeeded]) => isNeeded && !kinds.includes(kind))
      .map(([kind]) => `no item ${kind}`),
  ];
}
