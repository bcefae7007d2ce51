/** What the list shows: a search by name, a state, a vacancy. */
import { Select } from '@mantine/core';
import { useTexts } from '../language';
import { SearchField } from '../shell/search-field';
import type { Titles } from '../vacancies';
import { STATES } from './filters';
import type { Filters } from './filters';

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
      <SearchField
        label={interviews.search}
        text={filters.text}
        onText={(text) => choose({ text })}
        onDown={toFirstRow}
      />
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

function toFirstRow(): void {
  document.querySelector<HTMLElement>('.table[data-stale="false"] .row-link')?.focus();
}
