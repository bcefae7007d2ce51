/**
 * Asks for a sign-in when the session has ended, and for the password again before what the server protects with it.
 * It lies over the page, whose text stays, and the request that was refused is sent again.
 */
import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import type { SubmitEvent } from 'react';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { confirm, gate, readSession, signInOptions } from '../api/calls';
import type { Session } from '../api/calls';
import { asProblem } from '../api/problem';
import { onSignedInElsewhere } from '../api/signed-in-elsewhere';
import { openAnew } from '../forget';
import { useTexts } from '../language';
import { singleSignOn } from '../places';
import { SignInForm } from '../sign-in/sign-in-form';
import { SIGNED_IN } from '../sign-in/signed-in';
import { BusyButton } from './busy-button';
import { Dialog, DialogActions } from './dialog';
import { failed } from './notice';
import { PasswordField } from './password-field';
import { SESSION } from './session';

export function GateDialog({ session }: { session: Session }) {
  const { gate: texts } = useTexts();
  const ask = useSyncExternalStore(gate.subscribe, gate.snapshot);
  const letThrough = useLetThrough(session);
  useSignedInElsewhere(letThrough);
  return (
    <>
      <Dialog
        isGate
        opened={ask === 'sign-in'}
        title={texts.ended.title}
        onClose={() => gate.giveUp()}
      >
        <p>{texts.ended.text}</p>
        {ask === 'sign-in' && <SignInAgain session={session} onSignedIn={letThrough} />}
      </Dialog>
      <Dialog
        isGate
        opened={ask === 'confirm'}
        title={texts.confirm.title}
        onClose={() => gate.giveUp()}
      >
        {ask === 'confirm' && <Confirm session={session} onConfirmed={letThrough} />}
      </Dialog>
    </>
  );
}

type LetThrough = (session: Session) => void;

/** Somebody else sees nothing of the page that the first person had open. */
function useLetThrough({ user }: Session): LetThrough {
  const queries = useQueryClient();
  return (session) => {
    if (session.user.id !== user.id) {
      openAnew(queries, () => location.reload());
      return;
    }
    queries.setQueryData(SESSION, session);
    gate.letThrough();
  };
}

/** In another tab, or in the window of single sign-on. */
function useSignedInElsewhere(letThrough: LetThrough): void {
  const { problem } = useTexts();
  useEffect(() => {
    const read = async (): Promise<void> => {
      try {
        letThrough(await readSession());
      } catch (error) {
        failed(problem(asProblem(error)));
      }
    };
    return onSignedInElsewhere(() => void read());
  }, [letThrough, problem]);
}

interface SignInAgainProps {
  session: Session;
  onSignedIn: LetThrough;
}

function SignInAgain({ session, onSignedIn }: SignInAgainProps) {
  const { user, method } = session;
  if (method === 'oidc') return <SingleSignOn />;
  return (
    <SignInForm {...(user.email === null ? {} : { email: user.email })} onSignedIn={onSignedIn} />
  );
}

function Confirm({ session, onConfirmed }: { session: Session; onConfirmed: LetThrough }) {
  const texts = useTexts();
  if (session.method === 'oidc') {
    return (
      <>
        <p>{texts.gate.confirm.oidc}</p>
        <SingleSignOn isConfirming />
      </>
    );
  }
  return <ConfirmForm onConfirmed={onConfirmed} />;
}

function ConfirmForm({ onConfirmed }: { onConfirmed: LetThrough }) {
  const texts = useTexts();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    if (password === '') {
      setProblem(texts.signIn.missing.password);
      input.current?.focus();
      return;
    }
    setBusy(true);
    setProblem('');
    try {
      onConfirmed(await confirm(password));
    } catch (error) {
      setBusy(false);
      const failure = asProblem(error);
      // The session has ended meanwhile: sent again, the request leads to the sign-in.
      if (failure.code === 'sign_in_needed') gate.letThrough();
      const isWrong = failure.code === 'sign_in_wrong';
      setProblem(isWrong ? texts.gate.confirm.wrong : texts.problem(failure));
      input.current?.focus();
    }
  };
  return (
    <form className="dialog" noValidate onSubmit={(event) => void submit(event)}>
      <p>{texts.gate.confirm.text}</p>
      <PasswordField
        ref={input}
        data-autofocus
        label={texts.fields.password}
        value={password}
        autoComplete="current-password"
        error={problem === '' ? null : problem}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <DialogActions onCancel={() => gate.giveUp()}>
        <BusyButton type="submit" isBusy={isBusy}>
          {texts.gate.confirm.action}
        </BusyButton>
      </DialogActions>
    </form>
  );
}

/** In a window of its own: this page keeps what was typed. */
function SingleSignOn({ isConfirming = false }: { isConfirming?: boolean }) {
  const { signIn, gate: texts } = useTexts();
  const [name, setName] = useState('');
  const [isBlocked, setBlocked] = useState(false);
  const id = useId();
  useEffect(() => {
    signInOptions().then(
      ({ oidc }) => setName(oidc?.name ?? ''),
      () => undefined,
    );
  }, []);
  const open = (): void => {
    const address = singleSignOn(SIGNED_IN, { isConfirming });
    setBlocked(window.open(address, id, 'popup,width=520,height=680') === null);
  };
  return (
    <>
      <p className="form-error" role="alert">
        {isBlocked ? texts.blocked : ''}
      </p>
      <DialogActions onCancel={() => gate.giveUp()}>
        <Button data-autofocus onClick={open}>
          {name === '' ? texts.window : signIn.with(name)}
        </Button>
      </DialogActions>
    </>
  );
}
