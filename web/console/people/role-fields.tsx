/** What somebody may: a role, and for some roles the vacancies it holds for. */
import { MultiSelect, Radio } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Role, Vacancy } from '../api/calls';
import { useTexts } from '../language';

const ROLES = ['admin', 'recruiter', 'interviewer', 'viewer'] as const satisfies readonly Role[];

export interface RoleValues {
  role: Role;
  /** Slugs. */
  vacancies: string[];
}

/** An interviewer always has named vacancies; a viewer without any sees all; the others reach everything. */
export function hasVacancies(role: Role): boolean {
  return role === 'interviewer' || role === 'viewer';
}

/** As the API takes them; null: all. */
export function namedVacancies({ role, vacancies }: RoleValues): string[] | null {
  return hasVacancies(role) && vacancies.length > 0 ? vacancies : null;
}

interface RoleFieldsProps<Values extends RoleValues> {
  form: UseFormReturnType<Values>;
  vacancies: readonly Vacancy[];
}

export function RoleFields<Values extends RoleValues>({
  form,
  vacancies,
}: RoleFieldsProps<Values>) {
  const { roles, people } = useTexts();
  const { role, vacancies: chosen } = form.getValues();
  return (
    <>
      <Radio.Group
        label={people.role}
        value={role}
        onChange={(next) => {
          const found = ROLES.find((one) => one === next);
          if (found !== undefined) form.setValues({ role: found } as Partial<Values>);
        }}
      >
        <div className="roles">
          {ROLES.map((one) => (
            <Radio key={one} value={one} label={roles[one].name} description={roles[one].text} />
          ))}
        </div>
      </Radio.Group>
      {hasVacancies(role) && (
        <MultiSelect
          label={people.vacancies}
          description={role === 'interviewer' ? people.vacanciesNeeded : people.vacanciesOptional}
          placeholder={chosen.length === 0 ? people.chooseVacancies : ''}
          data={vacancies.map(({ slug, title }) => ({ value: slug, label: title }))}
          value={chosen}
          searchable
          clearable={false}
          nothingFoundMessage={vacancies.length === 0 ? people.noneToChoose : people.noVacancy}
          error={form.errors['vacancies']}
          data-path="vacancies"
          onChange={(next) => {
            form.setValues({ vacancies: next } as Partial<Values>);
            form.clearFieldError('vacancies');
          }}
        />
      )}
    </>
  );
}
