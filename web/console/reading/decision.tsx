/** What was decided about the candidate, by whom and why, and the form for a decision of one's own. */
import { useId, useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { asProblem } from '../api/problem';
import { Moment } from '../moments';
import { newUuid } from '../new-uuid';
import { BusyButton } from '../shell/busy-button';
import { told } from '../shell/notice';
import { NotLoaded } from '../shell/sentence';
import { useSession } from '../shell/session';
import { useProblem } from '../shell/use-problem';
import { decide, exportDecision, readDecisions } from './calls';
import type { Decision as Decided, Decisions } from './calls';
import { textDrafts, useDraft } from './drafts';
import { DECISIONS, INTERVIEW, OWN_RATINGS } from './keys';
import { leaveField } from './reading-keys';
import { useReadingTexts } from './texts';

const MAX_REASON = 2000;

export function Decision({ interviewId }: { interviewId: string }) {
  const { decision: words } = useReadingTexts();
  const { scopes } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: DECISIONS(interviewId),
    queryFn: () => readDecisions(interviewId),
  });
  const title = useId();
  return (
    <section className="decision" aria-labelledby={title} tabIndex={-1}>
      <h2 id={title}>{words.title}</h2>
      {error !== null && data === undefined && <NotLoaded error={error} onAgain={refetch} />}
      {data?.items.length === 0 && <p className="soft">{words.none}</p>}
      {data !== undefined && data.items.length > 0 && (
        <ol className="decisions">
          {data.items.map((one) => (
            <Made key={one.id} decision={one} />
          ))}
        </ol>
      )}
      {data?.items[0] !== undefined && scopes.includes('ratings:write') && (
        <SignedFile interviewId={interviewId} decision={data.items[0]} />
      )}
      {data !== undefined && scopes.includes('decisions:write') && (
        <Deciding interviewId={interviewId} seen={data} />
      )}
    </section>
  );
}

function Made({ decision }: { decision: Decided }) {
  const { decision: words } = useReadingTexts();
  const { decidedBy, decidedAt, isAdverse, reason, letterBy } = decision;
  return (
    <li className="made">
      <p>
        <strong>{isAdverse ? words.against : words.inFavour}</strong>
      </p>
      <p className="comment-text">{reason}</p>
      <p className="soft">
        {decidedBy}, <Moment at={decidedAt} />
        {letterBy !== null && `. ${words.letter(letterBy)}`}
      </p>
    </li>
  );
}

/** Of a decision, as `decision export` writes it. The server asks for the password, and for the own ratings. */
function SignedFile({ interviewId, decision: { id } }: { interviewId: string; decision: Decided }) {
  const { decision: words } = useReadingTexts();
  const problem = useProblem(useReadingTexts().problems);
  const queries = useQueryClient();
  // A repeat after a lost response gets the same file, not the next number of the chain.
  const [key, setKey] = useState(newUuid);
  const fetching = useMutation({
    mutationFn: () => exportDecision(id, key),
    onSuccess: async (text) => {
      save(`decision-${id}.json`, text);
      setKey(newUuid());
      // It holds what others gave, so one's own ratings stay as they are.
      await queries.invalidateQueries({ queryKey: OWN_RATINGS(interviewId) });
    },
  });
  return (
    <div className="signed-file">
      <BusyButton
        variant="default"
        size="sm"
        isBusy={fetching.isPending}
        onClick={() => fetching.mutate()}
      >
        {words.file}
      </BusyButton>
      <p className="soft">{words.fileText}</p>
      <p className="form-error" role="alert">
        {fetching.error === null ? '' : problem(fetching.error)}
      </p>
    </div>
  );
}

function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const WAYS = [
  ['inFavour', false],
  ['against', true],
] as const;

/** Of the reason that is not sent yet. */
function placeOf(interviewId: string): string {
  return `${interviewId}/decision`;
}

/** Of what is chosen with it. */
function wayOf(place: string): string {
  return `${place}/way`;
}

function isGiven(draft: string | undefined): boolean {
  return draft !== undefined;
}

interface DecidingProps {
  interviewId: string;
  seen: Decisions;
}

/** After a decision the form is shut, so that nobody takes it for one that is still to be made. */
function Deciding(props: DecidingProps) {
  const { interviewId, seen } = props;
  const { decision: words } = useReadingTexts();
  const place = placeOf(interviewId);
  const drafts = [useDraft(textDrafts, place), useDraft(textDrafts, wayOf(place))];
  const [isWanted, setWanted] = useState(false);
  const isShown = seen.items.length === 0 || isWanted || drafts.some(isGiven);
  const group = useRef<HTMLDivElement>(null);
  // Of the button or the form in whose place the other is now.
  useLostFocus(isShown, group);
  return (
    <div ref={group} tabIndex={-1} className="deciding-place">
      {isShown ? (
        <Form {...props} onDecided={() => setWanted(false)} />
      ) : (
        <Button variant="default" size="sm" data-decide onClick={() => setWanted(true)}>
          {words.anew}
        </Button>
      )}
    </div>
  );
}

function Form({ interviewId, seen, onDecided }: DecidingProps & { onDecided: () => void }) {
  const { decision: words } = useReadingTexts();
  const problem = useProblem(useReadingTexts().problems);
  const queries = useQueryClient();
  const place = placeOf(interviewId);
  const reason = useDraft(textDrafts, place) ?? '';
  const way = wayOf(place);
  const chosen = useDraft(textDrafts, way);
  const isAdverse = chosen === undefined ? null : chosen === 'against';
  const [isMissing, setMissing] = useState(false);
  const [key, setKey] = useState(newUuid);
  const [name, note] = [useId(), useId()];
  const sending = useMutation({
    mutationFn: (given: boolean) =>
      decide(interviewId, { isAdverse: given, reason: reason.trim(), seen: seen.seen, key }),
    onSuccess: async () => {
      setKey(newUuid());
      told(words.done);
      await queries.invalidateQueries({ queryKey: DECISIONS(interviewId) });
      textDrafts.drop(place);
      textDrafts.drop(way);
      onDecided();
      await queries.invalidateQueries({ queryKey: ['interviews'] });
    },
    onError: async (error) => {
      const { code } = asProblem(error);
      // The text stays; what the colleague decided is shown above it before it can be sent again.
      if (code === 'decided_meanwhile') {
        setKey(newUuid());
        await queries.invalidateQueries({ queryKey: DECISIONS(interviewId) });
      }
      if (code === 'conversation_unknown') {
        await queries.invalidateQueries({ queryKey: INTERVIEW(interviewId) });
      }
    },
  });
  const submit = (): void => {
    setMissing(isAdverse === null || reason.trim() === '');
    if (isAdverse !== null && reason.trim() !== '' && !sending.isPending) {
      sending.mutate(isAdverse);
    }
  };
  const isMeanwhile = asProblem(sending.error).code === 'decided_meanwhile';
  const failure =
    sending.error === null ? '' : isMeanwhile ? words.meanwhile : problem(sending.error);
  return (
    <form
      className="deciding"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <fieldset className="ways">
        <legend>{words.choose}</legend>
        {WAYS.map(([one, value], index) => (
          <label key={one}>
            <input
              type="radio"
              name={name}
              data-decide={index === 0 ? true : undefined}
              checked={isAdverse === value}
              onChange={() => {
                textDrafts.keep(way, one);
                setKey(newUuid());
              }}
            />
            {words[one]}
          </label>
        ))}
      </fieldset>
      <label className="reason">
        {words.reason}
        <textarea
          rows={2}
          maxLength={MAX_REASON}
          value={reason}
          aria-describedby={note}
          aria-invalid={isMissing}
          onChange={({ currentTarget: { value } }) => {
            if (value === '') textDrafts.drop(place);
            else textDrafts.keep(place, value);
            setKey(newUuid());
          }}
          onKeyDown={leaveField}
        />
      </label>
      <p id={note} className="soft">
        {words.reasonNote} {words.lead}
      </p>
      <p className="form-error" role="alert">
        {isMissing ? words.missing : failure}
      </p>
      <BusyButton type="submit" isBusy={sending.isPending}>
        {words.action}
      </BusyButton>
    </form>
  );
}
