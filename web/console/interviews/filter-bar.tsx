/** What the list shows: a search by name, a state, a vacancy. */
import { useEffect, useRef, useState } from 'react';
import { Select, TextInput } from '@mantine/core';
import { useTexts } from '../language';
import { Icon } from '../shell/icon';
import { useKeys } from '../shell/keyboard';
import type { Titles } from '../vacancies';
import { STATES } from './filters';
import type { Filters } from './filters';

const SEARCH_DELAY_MS = 250;

interface FilterBarProps {
  filters: Filters;
  titles: Titles;
  choose: (change: Partial<Filters>) => void;
}

export function FilterBar({ filters, titles, choose }: FilterBarProps) {
  const texts = useTexts();
  const { interviews } = texts;
  const vacancies = [...titles].map(([value, label]) => ({ value, label }));
  const isUnknown = filters.vacancy !== null && !titles.has(filters.vacancy);
  if (isUnknown) vacancies.push({ value: filters.vacancy ?? '', label: filters.vacancy ?? '' });
  return (
    <div className="filters" role="search" aria-label={interviews.filters}>
      <Search text={filters.text} onText={(text) => choose({ text })} />
      <Select
        className="filter"
        aria-label={interviews.state}
        placeholder={interviews.anyState}
        data={STATES.map((value) => ({ value, label: interviews.states[value] }))}
        value={filters.state}
        clearable
        clearButtonProps={{ 'aria-label': interviews.anyState }}
        onChange={(state) => choose({ state: STATES.find((one) => one === state) ?? null })}
      />
      <Select
        className="filter"
        aria-label={interviews.vacancy}
        placeholder={interviews.anyVacancy}
        data={vacancies}
        value={filters.vacancy}
        searchable={vacancies.length > 8}
        clearable
        clearButtonProps={{ 'aria-label': interviews.anyVacancy }}
        nothingFoundMessage={interviews.noVacancy}
        onChange={(vacancy) => choose({ vacancy })}
      />
    </div>
  );
}

/** Searches as one types; the address follows a moment later. */
function Search({ text, onText }: { text: string; onText: (text: string) => void }) {
  const { interviews } = useTexts();
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
  const set = (value: string, delayMs = SEARCH_DELAY_MS): void => {
    setTyped(value);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => apply.current(value), delayMs);
  };
  const toFirstRow = (): void => {
    // Rows of another search are no results of this one.
    if (typed.trim() !== text) set(typed, 0);
    else document.querySelector<HTMLElement>('.table[data-stale="false"] .row-link')?.focus();
  };
  return (
    <TextInput
      ref={input}
      className="filter-search"
      type="search"
      aria-label={interviews.search}
      aria-keyshortcuts="/"
      placeholder={interviews.search}
      leftSection={<Icon name="search" />}
      rightSection={typed === '' ? <kbd className="key">/</kbd> : null}
      value={typed}
      maxLength={200}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={({ key }) => {
        if (key === 'Enter' || key === 'ArrowDown') toFirstRow();
        if (key !== 'Escape') return;
        if (typed === '') input.current?.blur();
        else set('', 0);
      }}
    />
  );
}
