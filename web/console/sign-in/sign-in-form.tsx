/** E-mail and password, for the sign-in page and for the dialog over a page whose session has ended. */
import { useId, useRef, useState } from 'react';
import type { SubmitEvent } from 'react';
import { BusyButton } from '../../src/components/busy-button';
import { signIn } from '../api/calls';
import type { Session } from '../api/calls';
import { asProblem } from '../api/problem';
import { tellSignedIn } from '../api/signed-in-elsewhere';
import { Field, focusField } from '../field';
import { useTexts } from '../language';

type FieldName = 'email' | 'password';

interface SignInFormProps {
  /** Filled in already; the focus is then on the password. */
  email?: string;
  onSignedIn: (session: Session) => void;
}

export function SignInForm({ email: known = '', onSignedIn }: SignInFormProps) {
  const texts = useTexts();
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<{ text: string; of: FieldName[] } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const problemId = useId();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const missing = email.trim() === '' ? 'email' : password === '' ? 'password' : null;
    if (missing !== null) {
      setProblem({ text: texts.signIn.missing[missing], of: [missing] });
      focusField(form.current, missing);
      return;
    }
    setProblem(null);
    setBusy(true);
    try {
      const session = await signIn(email.trim(), password);
      tellSignedIn();
      onSignedIn(session);
    } catch (error) {
      const failure = asProblem(error);
      const isWrong = failure.code === 'sign_in_wrong';
      setProblem({ text: texts.problem(failure), of: isWrong ? ['email', 'password'] : [] });
      setBusy(false);
      focusField(form.current, 'password');
    }
  };
  const stateOf = (field: FieldName) => ({
    isInvalid: problem?.of.includes(field) ?? false,
    describedBy: problemId,
  });
  return (
    <form ref={form} className="profile" noValidate onSubmit={(event) => void submit(event)}>
      <Field
        label={texts.fields.email}
        name="email"
        type="email"
        autoComplete="username"
        value={email}
        onValue={setEmail}
        isFocused={known === ''}
        {...stateOf('email')}
      />
      <Field
        label={texts.fields.password}
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onValue={setPassword}
        isFocused={known !== ''}
        {...stateOf('password')}
      />
      <p id={problemId} className="form-error" role="alert">
        {problem?.text ?? ''}
      </p>
      <p className="actions">
        <BusyButton type="submit" className="button entry-button" isBusy={isBusy}>
          {isBusy ? texts.signIn.busy : texts.signIn.action}
        </BusyButton>
      </p>
    </form>
  );
}
