/** A labelled text field with the look of the candidate's pages. A password can be shown. */
import { useEffect, useId, useRef, useState } from 'react';
import type { InputHTMLAttributes } from 'react';
import { useTexts } from './language';

/** As many characters as the server reads. */
const LONGEST = { text: 200, email: 254, password: 1024 } as const;

interface FieldProps {
  label: string;
  name: string;
  type: 'text' | 'email' | 'password';
  autoComplete: NonNullable<InputHTMLAttributes<HTMLInputElement>['autoComplete']>;
  value: string;
  onValue: (value: string) => void;
  isFocused?: boolean;
  isInvalid?: boolean;
  describedBy?: string;
  note?: string;
}

export function Field(props: FieldProps) {
  const { label, name, type, value, note, describedBy, isFocused = false, isInvalid } = props;
  const { fields } = useTexts();
  const [isShown, setShown] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (isFocused) input.current?.focus();
  }, [isFocused]);
  const isPassword = type === 'password';
  const described = [note === undefined ? '' : `${id}-note`, describedBy ?? ''].join(' ').trim();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="field-box">
        <input
          ref={input}
          id={id}
          name={name}
          type={isShown ? 'text' : type}
          className={isPassword ? 'field-with-button' : undefined}
          value={value}
          maxLength={LONGEST[type]}
          autoComplete={props.autoComplete}
          autoCapitalize={type === 'text' ? 'words' : 'off'}
          spellCheck={false}
          aria-invalid={isInvalid ?? false}
          aria-describedby={described === '' ? undefined : described}
          // In a dialog, which else begins at its close button.
          data-autofocus={isFocused ? true : undefined}
          onChange={(event) => props.onValue(event.target.value)}
        />
        {isPassword && (
          <button
            type="button"
            className="quiet-button field-button"
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {fields.show}
            <span className="for-readers"> {label}</span>
          </button>
        )}
      </div>
      {note !== undefined && (
        <span id={`${id}-note`} className="field-note">
          {note}
        </span>
      )}
    </div>
  );
}

/** Where the person goes on when something of it is wrong. */
export function focusField(form: HTMLFormElement | null, name: string): void {
  form?.querySelector<HTMLInputElement>(`input[name="${name}"]`)?.focus();
}
