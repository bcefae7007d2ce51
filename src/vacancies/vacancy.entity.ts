import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { NoticeCode } from './notices';
import type { Brand, InterviewPlan, Language, Vacancy, VacancyOwner } from './vacancy';

/** The table `vacancy`. */
@Entity('vacancy')
export class VacancyEntity implements Vacancy {
  @PrimaryColumn('uuid')
  readonly id!: string;

  @Column('text')
  readonly slug!: string;

  @Column('text')
  readonly language!: Language;

  @Column('text')
  readonly title!: string;

  @Column('text')
  readonly company!: string;

  @Column('jsonb')
  readonly owner!: VacancyOwner;

  @Column('jsonb')
  readonly plan!: InterviewPlan;

  @Column('jsonb')
  readonly brand!: Brand;

  @Column('text', { array: true })
  readonly notices!: readonly NoticeCode[];

  @Column('text', { name: 'open_token' })
  readonly openToken!: string;

  @Column('timestamptz', { name: 'closed_at', nullable: true })
  readonly closedAt!: Date | null;
}
