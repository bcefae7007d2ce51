/** Beside the conversation, where there is room: the questions so far, and what happens next. */
import type { ConversationState } from '../state/conversation';
import { givenName, promisedDay } from '../promised-reply';
import { MadeWith } from './brand';
import { Icon } from './icons';
import { useLanguage } from './language';
import { Progress, hasProgress } from './progress';

type View = ConversationState['view'];

export function SidePanel({ conversation }: { conversation: ConversationState }) {
  const { texts } = useLanguage();
  const { view } = conversation;
  const asked = askedIn(conversation);
  const { unanswered = [] } = view.progress;
  const steps = useNextSteps(view);
  return (
    // A keyboard scrolls it when it has the focus.
    <aside className="side-panel" aria-label={texts.panel.label} tabIndex={0}>
      <Progress view={view} />
      {asked.length > 0 && (
        <section>
          <h2>{texts.panel.asked}</h2>
          <ol className="asked" lang={view.language}>
            {asked.map(({ id, text }, index) => {
              const isWaiting = id === waitingId(conversation, asked);
              const isOpen = unanswered.includes(index + 1);
              return (
                <li
                  key={id}
                  {...(isWaiting && hasProgress(view) ? { 'aria-current': 'step' } : {})}
                >
                  <span className="asked-mark" aria-hidden="true">
                    {isWaiting ? String(index + 1) : <Icon name={isOpen ? 'dash' : 'check'} />}
                  </span>
                  <span className="asked-text">
                    {text}
                    {isOpen && !isWaiting && (
                      <span className="for-readers"> ({texts.panel.unanswered})</span>
                    )}
                  </span>
                </li>
              );
            })}
          </ol>
        </section>
      )}
      {steps.length > 0 && (
        <section>
          <h2>{texts.panel.next}</h2>
          <ul className="next-steps">
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ul>
        </section>
      )}
      <MadeWith />
    </aside>
  );
}

/** The one that waits for an answer: the last one, or an earlier one that was asked once more. */
function waitingId(
  { view, messages }: ConversationState,
  asked: readonly { id: string }[],
): string | undefined {
  if (view.status === 'completed' || view.status === 'expired') return undefined;
  const last = messages.findLast(({ question }) => question !== undefined);
  return last?.question?.id ?? asked.at(-1)?.id;
}

/** Those that the server named, and those in messages that have come since. */
function askedIn({ view, messages }: ConversationState): { id: string; text: string }[] {
  const asked = [...view.asked];
  for (const { question, text } of messages) {
    if (question === undefined || asked.some(({ id }) => id === question.id)) continue;
    asked.push({ id: question.id, text: text.slice(question.start) });
  }
  return asked;
}

function useNextSteps(view: View): string[] {
  const { texts, language } = useLanguage();
  const { panel } = texts;
  const { status, owner, progress, reply } = view;
  if (owner !== 'model' || !hasProgress(view)) return [];
  const name = givenName(reply.from) ?? view.company;
  const day = promisedDay(reply, language);
  const left = progress.of - progress.question;
  const within = reply.withinDays === null ? null : panel.repliesWithin(name, reply.withinDays);
  const promise = day === null ? within : panel.repliesBy(name, day);
  return [
    ...(status === 'active' && left > 0 ? [panel.left(left)] : []),
    panel.reads(name),
    promise ?? panel.replies(name),
    ...(status === 'active' ? [panel.comeBack] : []),
  ];
}
