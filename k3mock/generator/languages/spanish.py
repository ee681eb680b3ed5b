"""Turns Spanish into data for the generator; source layer."""

from __future__ import annotations

import re

from k3mock.generator.language import Language
from k3mock.generator.languages.spanish_phrases import EXACT, HAIKU, PHRASES
from k3mock.generator.languages.wording import Wording, asks_of
from k3mock.generator.phrases import vocabulary

_NUMBERS = {
    "una": 1, "uno": 1, "un": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6,
    "siete": 7,
    "ocho": 8, "nueve": 9, "diez": 10, "doce": 12, "quince": 15, "veinte": 20, "sola": 1,
}  # fmt: skip

_STOP = vocabulary(
    "el la los las un una unos unas de del al a y o u e en con sin por para sobre entre es son "
    "está "
    "están ser soy eres fue era hay que qué quién cuál cuáles cómo cuándo dónde cuánto cuántos "
    "porqué "
    "porque yo tú él ella ello nosotros ustedes ellos me te se le les lo mi mis tu tus su sus "
    "nuestro "
    "este esta estos estas ese esa eso esto aquel no sí si más menos muy mucho mucha muchos "
    "muchas poco "
    "todo toda todos todas algo nada como pero también ya cuando hola gracias favor explica "
    "explícame "
    "explique describe dime di escribe escribir responde contesta dame da muestra cuenta cuéntame "
    "lista "
    "tabla frase frases palabra palabras oración oraciones párrafo párrafos punto puntos ejemplo "
    "ejemplos pregunta respuesta exactamente solo sólo breve corto simple dos tres cuatro cinco "
    "seis "
    "siete ocho nueve diez compara diferencia puedes puede quiero haz hacer crea genera función "
    "código "
    "programa claves campos objeto formato python javascript java json historia poema chiste haiku "
    "puedo mejorar funciona funcionan nombra busca lee calcula traduce resume pasos "
    "paso numerada correo email mensaje usando consejos ideas"
)

_CAPITALS = {
    "francia": "París", "alemania": "Berlín", "italia": "Roma", "españa": "Madrid",
    "japón": "Tokio", "china": "Pekín", "turquía": "Ankara", "canadá": "Ottawa",
    "méxico": "Ciudad de México", "perú": "Lima", "chile": "Santiago", "argentina": "Buenos Aires",
    "colombia": "Bogotá", "portugal": "Lisboa", "grecia": "Atenas", "cuba": "La Habana",
}  # fmt: skip

_ASKS = asks_of(
    Wording(
        numbers=_NUMBERS,
        say="responde|contesta|di|dime|escribe|repite|imprime",
        only="solo|sólo|solamente|únicamente|exactamente|simplemente",
        write="escribe|escriba|escribir|crea|cree|redacta|programa|dame|muéstrame|genera|implementa|haz",
        conjunction="y",
        between="entre",
        to="y|a",
        under="como máximo|máximo|menos de|hasta",
        greeting="hola|buenos días|buenas tardes|buenas noches|buenas|qué tal",
        things="puntos|viñetas|consejos|razones|ejemplos|pasos|ideas|hechos|nombres|sugerencias|"
        "ventajas|desventajas|preguntas|ciudades|países|empresas|reglas|títulos|formas|maneras|libros|"
        "películas|colores|frutas|animales|personas|trucos",
        listing="lista|viñetas|enumera",
        numbered="lista numerada|numerada|numerados|pasos|paso a paso",
        word="palabras?",
        sentence="frases?|oraciones|oración",
        paragraph="párrafos?",
        table="tabla",
        haiku="ha[ií]kus?",
        poem="poema|versos|rima",
        story="cuento|historia corta|historia sobre",
        joke="chiste",
        mail="correo|e-?mail|carta",
        code="función|script|programa|clase|código|consulta|método|algoritmo|regex|página",
        keys="claves?|campos?|propiedades",
        how="cómo (?:puedo|hago|hacer|aprender|crear|instalar|mejorar|preparar|escribir|se)",
        why="por qué",
        compare="compara[r]?|diferencias?|comparación|en vez de",
    )
)

SPANISH = Language(
    code="es",
    locale="es_ES",
    script=re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]{1,60}"),
    weight=1.0,
    marks=vocabulary(
        "el la los las y es son un una unos del al que qué por para con cómo cuál cuáles dónde "
        "cuándo "
        "me te se mi tu su este esta esto puedes dame dime explica escribe responde en dos tres "
        "cuatro "
        "compara cuenta claves cinco palabras frases hola gracias buenos días favor "
        "lista sobre hay muy más no de entre "
        "¿ ¡ ñ í ó ú á"
    ),
    word=re.compile(r"(?<![\w-])[^\W\d_][\w-]{2,39}(?!\w)"),
    gap=" ",
    comma=", ",
    last=" y ",
    ends=".!?",
    stop=_STOP,
    phrases=PHRASES,
    exact=EXACT,
    haiku=HAIKU,
    asks=_ASKS,
    numbers=_NUMBERS,
    facts={
        "capital": _CAPITALS,
        "word": {
            "fact": "La capital de {of} es {it}.",
            "sum": "{of} = {it}.",
            "form_json": "un objeto JSON",
            "form_code": "código",
            "form_list": "una lista",
            "form_table": "una tabla",
            "form_words": "un número exacto de palabras",
            "form_literal": "un texto exacto",
            "form_sentences": "un número dado de frases",
            "form_paragraphs": "varios párrafos",
            "form_sum": "el resultado de un cálculo",
            "form_haiku": "un haiku",
            "form_poem": "un poema",
            "form_story": "un cuento breve",
            "form_joke": "un chiste",
            "form_mail": "un correo",
            "image": "una imagen", "images": "{n} imágenes", "video": "un vídeo",
            "videos": "{n} vídeos",
            "sized": "{what} ({sizes})", "pixels": "{size} píxeles",
            "the": "la herramienta", "is": "{key}: {value}",
            "one": "Sí", "no_values": "ninguno", "topic": "paciencia",
            "aspect": "Aspecto", "country": "País", "capital_of": "Capital", "note": "Valoración",
        },
    },
    aspects=(
        ("Esfuerzo", ("bajo", "medio", "alto")),
        ("Coste", ("bajo", "razonable", "alto")),
        ("Aprendizaje", ("rápido", "gradual", "exigente")),
        ("Flexibilidad", ("limitada", "buena", "muy buena")),
        ("Mantenimiento", ("sencillo", "regular", "costoso")),
        ("Adecuado para", ("empezar", "el uso diario", "proyectos grandes")),
        ("Riesgo", ("bajo", "controlado", "notable")),
    ),
    place=re.compile(
        r"\b(?:en|de|a|desde|hasta|para|hacia|por)\s+(?:la\s+|el\s+)?"
        r"([A-ZÁÉÍÓÚÑ][\wáéíóúñ’'-]{1,30}(?:\s[A-ZÁÉÍÓÚÑ][\wáéíóúñ-]{2,20})?)"
    ),
    places=(
        "Madrid", "Barcelona", "Valencia", "Sevilla", "Bilbao", "Zaragoza", "Málaga", "Granada",
        "Salamanca", "Toledo", "Buenos Aires", "Lima", "Bogotá", "Quito", "Santiago", "Montevideo",
        "Caracas", "La Habana", "Guadalajara", "Monterrey", "París", "Londres", "Roma", "Lisboa",
    ),
    items={
        "colores": "colour", "animales": "animal", "frutas": "fruit",
        "nombres": "person", "personas": "person", "ciudades": "city", "países": "country",
           "empresas": "company"},
    things={
        "fruit": (
            "manzana", "pera", "plátano", "naranja", "mango", "cereza", "ciruela", "uva",
            "melocotón", "kiwi",
        ),
        "animal": (
            "zorro", "nutria", "búho", "erizo", "delfín", "caballo", "tejón", "halcón", "tortuga",
            "lince",
        ),
        "colour": (
            "azul", "verde", "rojo", "amarillo", "naranja", "violeta", "turquesa", "marrón", "gris",
            "rosa",
        ),
    },
    glosses={
        "tiempo": "weather", "clima": "weather", "temperatura": "weather", "lluvia": "weather",
        "busca": "search", "buscar": "search", "calcula": "calculate", "cuánto": "calculate",
        "hora": "time", "acción": "stock", "traduce": "translate", "archivo": "file",
        "archivos": "file", "fichero": "file", "lee": "read", "reunión": "event", "vuelo": "flight",
        "noticias": "news", "mapa": "map", "envía": "send", "crea": "create", "borra": "delete",
        "pedido": "order", "precio": "price", "carpeta": "directory", "escribe": "write",
        "abre": "open",
    },
    not_places=vocabulary(
        "qué cuál cómo cuándo dónde explica escribe responde busca lee dame lunes martes miércoles "
        "jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto "
        "septiembre "
        "octubre noviembre diciembre python json euro hola gracias español inglés el la los las "
        "un una"
    ),
)  # fmt: skip
