// The parts of an OpenAPI 3.0 document that this service writes and reads. All values are plain, ready for JSON or YAML.
import type { OpenApiSchema } from '../../schemas/openapi30.ts';
import type { Tag } from '../define/tags.ts';

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly deprecated?: boolean;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: OpenApiSchema;
  readonly example?: unknown;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: OpenApiSchema;
}

export interface MediaContent {
  readonly schema: OpenApiSchema;
  readonly examples?: Readonly<Record<string, Reference | { readonly value: unknown }>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference | Header>>;
  readonly content?: Readonly<Record<string, MediaContent>>;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, MediaContent>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** Lowest plan with access; null for open endpoints. */
  readonly 'x-required-plan': string | null;
  readonly 'x-required-scope': string | null;
  /** Codes of all possible errors, each explained at `/errors/<code>`. */
  readonly 'x-error-codes': readonly string[];
}

export type PathItem = Readonly<Partial<Record<'get' | 'post' | 'patch' | 'delete', Operation>>>;

export interface OpenApiDocument {
  readonly openapi: '3.0.3';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly Tag[];
  readonly security: Operation['security'];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
  readonly 'x-webhooks': Readonly<Record<string, unknown>>;
  readonly 'x-websocket': Readonly<Record<string, unknown>>;
}
