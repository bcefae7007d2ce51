/** What a link opens that an admin has sent: a colleague's first sign-in, or a new password. */
import { useEffect, useState } from 'react';
import { readLink } from '../api/calls';
import type { Link } from '../api/calls';
import { asProblem } from '../api/problem';
import type { ApiProblem } from '../api/problem';
import { Frame, Opening, PageTitle } from '../frame';
import { useTexts } from '../language';
import { JoinForm } from './join-form';

type State =
  | { kind: 'loading' }
  | { kind: 'open'; link: Link }
  | { kind: 'unknown' | 'ended' }
  | { kind: 'failed'; problem: ApiProblem };

export function JoinPage({ token }: { token: string }) {
  const texts = useTexts();
  const [state, setState] = useState<State>({ kind: 'loading' });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const become = (next: State): void => {
      if (isCurrent) setState(next);
    };
    readLink(token).then(
      (link) => become({ kind: 'open', link }),
      (error: unknown) => {
        const problem = asProblem(error);
        if (problem.status === 410) become({ kind: 'ended' });
        else if (problem.status === 404) become({ kind: 'unknown' });
        else become({ kind: 'failed', problem });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [token, attempt]);

  switch (state.kind) {
    case 'loading':
      return <Opening />;
    case 'open':
      return (
        <JoinForm token={token} link={state.link} onEnded={() => setState({ kind: 'ended' })} />
      );
    case 'unknown':
    case 'ended':
      return <Sentence {...texts.join[state.kind]} />;
    case 'failed':
      return (
        <Sentence
          title={texts.failed.title}
          text={texts.problem(state.problem)}
          action={texts.failed.again}
          onAction={() => {
            setState({ kind: 'loading' });
            setAttempt(attempt + 1);
          }}
        />
      );
  }
}

interface SentenceProps {
  title: string;
  text: string;
  action?: string;
  onAction?: () => void;
}

function Sentence({ title, text, action, onAction }: SentenceProps) {
  const { signIn } = useTexts();
  return (
    <Frame title={title}>
      {/* A new key, so that each message takes the focus. */}
      <PageTitle key={title}>{title}</PageTitle>
      <p className="lead">{text}</p>
      <p className="actions">
        {action === undefined ? (
          <a className="button" href="/console/sign-in">
            {signIn.action}
          </a>
        ) : (
          <button type="button" className="button" onClick={onAction}>
            {action}
          </button>
        )}
      </p>
    </Frame>
  );
}
