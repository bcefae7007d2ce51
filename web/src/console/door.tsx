/** Where the admin token is entered. */
import { useState } from 'react';
import { Frame, PageTitle } from '../components/frame';
import type { ConsoleTexts } from './texts';

interface DoorProps {
  texts: ConsoleTexts;
  wasRefused: boolean;
  onToken: (token: string) => void;
}

export function Door({ texts, wasRefused, onToken }: DoorProps) {
  const { door } = texts;
  const [token, setToken] = useState('');
  const [isMissing, setMissing] = useState(false);
  const problem = isMissing ? door.missing : wasRefused ? door.refused : '';
  return (
    <Frame>
      <title>{door.title}</title>
      <PageTitle>{door.title}</PageTitle>
      <p className="lead">{door.lead}</p>
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
          <label htmlFor="token">{door.label}</label>
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
            {door.open}
          </button>
        </p>
      </form>
    </Frame>
  );
}
