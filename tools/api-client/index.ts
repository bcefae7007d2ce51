import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api.gen';

/** The calls of the API with the types of its OpenAPI document (`npm run api:types`). */
export type ApiClient = Client<paths>;

/** What the document names: bodies of requests, and those of responses as `…_Output` where they differ. */
export type ApiSchemas = components['schemas'];

/** A program that has this key, or the admin token. */
export function apiClient(baseUrl: string, token: string): ApiClient {
  return createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
}
