export {
  candidateLink,
  telegramLink,
  type InvitationSecrets,
  maskedPin,
  type Pin,
  PinHasher,
  readPin,
  shownPin,
  withInvitationSecrets,
  withManyInvitationSecrets,
} from './invitation-secrets';
export {
  VacancyFileError,
  VacancyFileUnreadableError,
  VacancyClosedError,
  VacancyUnknownError,
  minutesOf,
  type Brand,
  type InterviewPlan,
  type Language,
  type LogoFile,
  type Question,
  type Vacancy,
  type VacancyDraft,
  type VacancyOwner,
  type VacancyProblem,
} from './vacancy';
export { logoFrom, MAX_LOGO_BYTES } from './brand';
export { isDocumentName, MAX_DOCUMENTS } from './vacancy-schema';
export { NOTICE_CODES, type NoticeCode } from './notices';
export { InstanceRepository } from './instance.repository';
export { ExampleVacancies, type PrepareDocuments } from './example-vacancies';
export { OpenLinksModule, VacanciesModule } from './vacancies.module';
export {
  type CallersFields,
  type Invitation,
  type InvitationMetadata,
  type InviteLookup,
  InvitationRepository,
  type PersonalInvite,
} from './invitation.repository';
export { OpenLinkFullError, OpenLinkLimits, UploadsFullError } from './open-link-limits';
export { VacancyRepository, slugsOf } from './vacancy.repository';
export { type VacancyVersion, VacancyVersionRepository } from './vacancy-version.repository';
export { type ReplyDay, replyDayOf } from './vacancy';
export {
  MAX_VACANCY_BYTES,
  type StoredFile,
  parseVacancy,
  parseVacancyText,
  readVacancyFile,
  storedFile,
} from './vacancy-file';
export {
  type KnockOutFact,
  MARKS,
  type Mark,
  type Rubric,
  type RubricCriterion,
  CONDITION,
  WHOLE_ANSWER,
  canonicalRubric,
  rubricHash,
  rubricOf,
} from './rubric';
export { keysOf, vacancyJsonSchema } from './vacancy-json-schema';

declare module '../common/uow' {
  interface LabelAreas {
    vacancies:
      'deployment' | 'instance' | 'invitation' | 'invite' | 'open_link' | 'pin_salt' | 'vacancy';
  }
}
