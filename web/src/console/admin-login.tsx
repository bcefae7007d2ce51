/** Where the admin token is entered. */
import { useState } from 'react';
import { Frame, PageTitle } from '../components/frame';
import type { ConsoleTexts } from './texts';

interface AdminLoginProps {
  texts: ConsoleTexts;
  wasRefused: boolean;
  onToken: (token: string) => void;
}

export function AdminLogin({ texts, wasRefused, onToken }: AdminLoginProps) {
  const { login } = texts;
  const [token, setToken] = useState('');
  const [isMissing, setMissing] = useState(false);
  const problem = isMissing ? login.missing : wasRefused ? login.refused : '';
  return (
    <Frame>
      <title>{login.title}</title>
      <PageTitle>{login.title}</PageTitle>
      <p className="lead">{login.lead}</p>
      <form
        className="profile"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const given = token.trim();
          setMissing(given === '');
          if (given !== '') onToken(given);
        }}
      >
        <p className="field">
          <label htmlFor="token">{login.label}</label>
          <input
            id="token"
            type="password"
            value={token}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            aria-invalid={problem !== ''}
            aria-describedby="token-problem"
            onChange={(event) => setToken(event.target.value)}
          />
        </p>
        <p id="token-problem" className="form-error" role="alert">
          {problem}
        </p>
        <p className="actions">
          <button type="submit" className="button">
            {login.open}
          </button>
        </p>
      </form>
      <p className="beside-actions">
        <a className="quiet-button" href={`/console/sign-in?to=${location.pathname}`}>
          {login.account}
        </a>
      </p>
    </Frame>
  );
}
