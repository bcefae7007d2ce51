/** The search of a list: it searches as one types, and the address follows a moment later. */
import { useEffect, useRef, useState } from 'react';
import { TextInput } from '@mantine/core';
import { Icon } from './icon';
import { useKeys } from './keyboard';

interface SearchFieldProps {
  label: string;
  /** As the address has it. */
  text: string;
  onText: (text: string) => void;
  /** Enter and the arrow down lead to the first row. */
  onDown: () => void;
}

const DELAY_MS = 250;

export function SearchField({ label, text, onText, onDown }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  const [inAddress, setInAddress] = useState(text);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<number>(undefined);
  if (text !== inAddress) {
    setInAddress(text);
    if (text !== typed.trim()) setTyped(text);
  }
  // As the other filters are when the moment is over.
  const apply = useRef(onText);
  useEffect(() => {
    apply.current = onText;
  });
  useEffect(() => () => window.clearTimeout(timer.current), []);
  useKeys({ '/': () => input.current?.focus() });
  const set = (value: string, delayMs = DELAY_MS): void => {
    setTyped(value);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => apply.current(value), delayMs);
  };
  const down = (): void => {
    // Rows of another search are no results of this one.
    if (typed.trim() !== text) set(typed, 0);
    else onDown();
  };
  return (
    <TextInput
      ref={input}
      className="filter-search"
      type="search"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={label}
      leftSection={<Icon name="search" />}
      rightSection={typed === '' ? <kbd className="key">/</kbd> : null}
      value={typed}
      maxLength={200}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={({ key }) => {
        if (key === 'Enter' || key === 'ArrowDown') down();
        if (key !== 'Escape') return;
        if (typed === '') input.current?.blur();
        else set('', 0);
      }}
    />
  );
}
