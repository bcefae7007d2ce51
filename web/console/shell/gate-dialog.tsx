/**
 * Asks for a sign-in when the session has ended, and for the password again before what the server protects with it.
 * It lies over the page, whose text stays, and the request that was refused is sent again.
 */
import { useEffect, useId, useState, useSyncExternalStore } from 'react';
import type { FormEvent } from 'react';
import { Button, PasswordInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { confirm, gate, readSession, signInOptions } from '../api/calls';
import type { Session } from '../api/calls';
import { asProblem } from '../api/problem';
import { onSignedInElsewhere } from '../api/signed-in-elsewhere';
import { useTexts } from '../language';
import { singleSignOn } from '../places';
import { SignInForm } from '../sign-in/sign-in-form';
import { SIGNED_IN } from '../sign-in/signed-in';
import { Dialog, DialogActions } from './dialog';
import { failed } from './notice';
import { SESSION } from './session';

export function GateDialog({ session }: { session: Session }) {
  const { gate: texts } = useTexts();
  const ask = useSyncExternalStore(gate.subscribe, gate.snapshot);
  const letThrough = useLetThrough(session);
  // In another tab, or in the window of single sign-on.
  useEffect(() => onSignedInElsewhere(() => void letThrough()), [letThrough]);
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

/** Somebody else sees nothing of the page that the first person had open. */
function useLetThrough({ user }: Session): () => Promise<void> {
  const queries = useQueryClient();
  const { problem } = useTexts();
  return async () => {
    try {
      const session = await readSession();
      if (session.user.id !== user.id) {
        location.reload();
        return;
      }
      queries.setQueryData(SESSION, session);
      gate.letThrough();
    } catch (error) {
      failed(problem(asProblem(error)));
    }
  };
}

interface SignInAgainProps {
  session: Session;
  onSignedIn: () => Promise<void>;
}

function SignInAgain({ session, onSignedIn }: SignInAgainProps) {
  const { user, method } = session;
  if (method === 'oidc') return <SingleSignOn />;
  return (
    <SignInForm
      {...(user.email === null ? {} : { email: user.email })}
      onSignedIn={() => void onSignedIn()}
    />
  );
}

function Confirm({ session, onConfirmed }: { session: Session; onConfirmed: () => Promise<void> }) {
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

function ConfirmForm({ onConfirmed }: { onConfirmed: () => Promise<void> }) {
  const texts = useTexts();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    try {
      await confirm(password);
      await onConfirmed();
    } catch (error) {
      const failure = asProblem(error);
      const isWrong = failure.code === 'sign_in_wrong';
      setProblem(isWrong ? texts.gate.confirm.wrong : texts.problem(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="dialog" onSubmit={(event) => void submit(event)}>
      <p>{texts.gate.confirm.text}</p>
      <PasswordInput
        data-autofocus
        label={texts.fields.password}
        value={password}
        autoComplete="current-password"
        error={problem === '' ? null : problem}
        visibilityToggleButtonProps={{ 'aria-label': texts.fields.show }}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <DialogActions onCancel={() => gate.giveUp()}>
        <Button type="submit" loading={isBusy} disabled={password === ''}>
          {texts.gate.confirm.action}
        </Button>
      </DialogActions>
    </form>
  );
}

/** In a window of its own: this page keeps what was typed. */
function SingleSignOn({ isConfirming = false }: { isConfirming?: boolean }) {
  const { signIn, gate: texts } = useTexts();
  const [name, setName] = useState('');
  const id = useId();
  useEffect(() => {
    signInOptions().then(
      ({ oidc }) => setName(oidc?.name ?? ''),
      () => undefined,
    );
  }, []);
  const open = (): void => {
    window.open(singleSignOn(SIGNED_IN, { isConfirming }), id, 'popup,width=520,height=680');
  };
  return (
    <DialogActions onCancel={() => gate.giveUp()}>
      <Button data-autofocus onClick={open}>
        {name === '' ? texts.window : signIn.with(name)}
      </Button>
    </DialogActions>
  );
}
